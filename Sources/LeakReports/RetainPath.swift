/// The chain of strong references that holds an object: from a root, a running task or the object
/// itself, edge by edge.
public struct RetainPath: Sendable, Hashable {
  public enum Origin: Sendable, Hashable {
    /// The object holds itself: the first node of the path is the object too.
    case cycle
    /// An object that the caller named as a root holds it, which need not be a leak.
    case root(String)
    /// A task that has not finished holds it and may still release it. The task is one of the
    /// nodes; the first node is the object itself if it holds the task.
    case runningTask
  }

  public struct Node: Sendable, Hashable {
    /// "Module.Type", the same in every run, or one of "closure", "captured variable", "task" and
    /// "…", which stands for the middle of a path of more than a hundred nodes.
    public var typeName: String

    public init(typeName: String) { self.typeName = typeName }
  }

  public struct Edge: Sendable, Hashable {
    /// ".delegate", ".items[x]", ".state.loaded.0" (a field, an element, an enum's payload),
    /// "capture", "value" of a captured variable, "frame of a task".
    public var label: String
    /// Whether the edge was found by its address alone, where no type says which words are
    /// references. Such a word may be left over from earlier use.
    public var isProbable: Bool

    public init(label: String, isProbable: Bool = false) {
      self.label = label
      self.isProbable = isProbable
    }
  }

  public var origin: Origin
  /// The last node is the object that was asked about.
  public var nodes: [Node]
  /// One fewer than the nodes: edge *i* leads from node *i* to the next.
  public var edges: [Edge]

  /// - Precondition: There is one edge between each two nodes.
  public init(origin: Origin, nodes: [Node], edges: [Edge]) {
    precondition(
      nodes.count == edges.count + 1,
      "\(nodes.count) nodes with \(edges.count) edges; pass one edge between each two nodes")
    self.origin = origin
    self.nodes = nodes
    self.edges = edges
  }

  /// Whether any edge is probable.
  public var isProbable: Bool { edges.contains(where: \.isProbable) }
}

extension RetainPath {
  /// The path as lines for people: what holds the object, then a line for each node after the edge
  /// that leads to it.
  public var text: String {
    let subject = nodes[nodes.count - 1].typeName
    let title =
      switch origin {
      case .cycle: "\(subject) holds itself:"
      case .root(let name): "\(subject) is held by the root \"\(name)\":"
      case .runningTask: "\(subject) is held by a running task:"
      }
    let steps = zip(edges, nodes.dropFirst()).map { edge, node in
      "  \(edge.label) -> \(node.typeName)\(edge.isProbable ? " (probable)" : "")"
    }
    return ([title, "  \(nodes[0].typeName)"] + steps).joined(separator: "\n")
  }

  /// The path as one JSON object: `origin` ("cycle", "root" or "runningTask"), `root` (the root's
  /// name, if it is one), `isProbable`, `nodes` (each with its `typeName`) and `edges` (each with
  /// its `label` and `isProbable`).
  public var json: String {
    let nodes = nodes.map { JSONText.object(["typeName": JSONText.text($0.typeName)]) }
    let edges = edges.map { edge in
      JSONText.object(["label": JSONText.text(edge.label), "isProbable": "\(edge.isProbable)"])
    }
    let (name, root): (OriginName, String?) =
      switch origin {
      case .cycle: (.cycle, nil)
      case .root(let root): (.root, root)
      case .runningTask: (.runningTask, nil)
      }
    return JSONText.object([
      "origin": JSONText.text(name.rawValue), "root": root.map(JSONText.text),
      "isProbable": "\(isProbable)", "nodes": JSONText.list(nodes), "edges": JSONText.list(edges),
    ])
  }

  /// The path as a directed graph in Graphviz's language DOT. Probable edges are dashed, the object
  /// asked about is bold.
  public var graphviz: String {
    // A path that returns to its first node is drawn as a ring.
    let returns = origin == .cycle || (origin == .runningTask && nodes.first == nodes.last)
    let drawn = returns && nodes.count > 1 ? nodes.count - 1 : nodes.count
    var lines = ["digraph retainPath {"]
    for (index, node) in nodes[..<drawn].enumerated() {
      let isSubject = index == (nodes.count - 1) % drawn
      let style = isSubject ? ", style=bold" : ""
      lines.append("  n\(index) [label=\(Self.quoted(label(of: node, at: index)))\(style)];")
    }
    for (index, edge) in edges.enumerated() {
      let style = edge.isProbable ? ", style=dashed" : ""
      let target = (index + 1) % drawn
      lines.append("  n\(index) -> n\(target) [label=\(Self.quoted(edge.label))\(style)];")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private func label(of node: Node, at index: Int) -> String {
    guard index == 0, case .root(let name) = origin else { return node.typeName }
    return "\(name): \(node.typeName)"
  }

  /// DOT has no escapes but those of the quotation mark and of lines.
  private static func quoted(_ text: String) -> String {
    "\"\(text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())\""
  }
}

// MARK: - Reading JSON

extension RetainPath {
  fileprivate enum OriginName: String, CaseIterable {
    case cycle, root, runningTask
  }

  /// Reads what `json` writes.
  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "how an instance is held")
    let nodes = try Self.parts(fields, "nodes") { part throws(JSONError) in
      Node(typeName: try part.needed(part.text("typeName"), "typeName"))
    }
    let edges = try Self.parts(fields, "edges") { part throws(JSONError) in
      Edge(
        label: try part.needed(part.text("label"), "label"),
        isProbable: try part.flag("isProbable") ?? false)
    }
    guard nodes.count == edges.count + 1 else {
      throw JSONError(offset: node.offset, expected: "an edge between each two nodes")
    }
    let origin: Origin =
      switch try fields.needed(fields.name("origin", of: OriginName.self), "origin") {
      case .cycle: .cycle
      case .root: .root(try fields.needed(fields.text("root"), "root"))
      case .runningTask: .runningTask
      }
    self.init(origin: origin, nodes: nodes, edges: edges)
  }

  private static func parts<Part>(
    _ fields: JSONFields, _ name: String, _ part: (JSONFields) throws(JSONError) -> Part
  ) throws(JSONError) -> [Part] {
    try fields.needed(fields.list(name), name).map { node throws(JSONError) in
      try part(try JSONFields(node, "one of the \(name) of how an instance is held"))
    }
  }
}
