/// A chain of strong references that keeps an object alive, from a root, a running task or the
/// object itself.
public struct RetainPath: Sendable, Hashable {
  /// The start of a path.
  public enum Origin: Sendable, Hashable {
    /// The object holds itself: the first node and the last node are both the object.
    case cycle
    /// An object that the caller named as a root holds the object. That is not always a leak.
    case root(String)
    /// A task that has not finished holds the object, and may still release it.
    ///
    /// The task is one of the nodes. The first node is the object itself if it holds the task.
    case runningTask
  }

  /// An object, a closure, a captured variable or a task on the path.
  public struct Node: Sendable, Hashable, Codable {
    /// "Module.Type", the same in every run, or one of "closure", "captured variable", "task",
    /// "error", "memory" and "…".
    ///
    /// "memory" stands for a block of the allocator that is no object, and "…" for the middle of
    /// a path of more than a hundred nodes.
    public var typeName: String

    /// Creates a node with a type name.
    public init(typeName: String) { self.typeName = typeName }
  }

  /// A strong reference from one node to the next.
  public struct Edge: Sendable, Hashable, Codable {
    /// The name of the reference. A field, an element or an enum's payload has a label such as
    /// ".delegate", ".items[x]" or ".state.loaded.0". Other references have the label "capture",
    /// "value" (of a captured variable), "frame of a task" or "a word" (of other memory).
    public var label: String
    /// Whether the search inferred the reference from the value of a word in memory, because no
    /// type says that the word is a reference. The word may be a number, or left over from an
    /// earlier use of the memory.
    public var isProbable: Bool
    /// Whether the reference is a part of a value for which no `weak` can be written: the payload
    /// of an enum, the element of a tuple, the value of an existential such as `Any`, or a field of
    /// a struct of the standard library.
    public var isPayload: Bool

    /// Creates an edge.
    ///
    /// - Parameters:
    ///   - label: The name of the reference.
    ///   - isProbable: Whether the search inferred the reference from the value of a word in
    ///     memory.
    ///   - isPayload: Whether no `weak` can be written for the reference.
    public init(label: String, isProbable: Bool = false, isPayload: Bool = false) {
      self.label = label
      self.isProbable = isProbable
      self.isPayload = isPayload
    }
  }

  /// The start of the path.
  public var origin: Origin
  /// The nodes in order; the last node is the object that the path holds.
  public var nodes: [Node]
  /// The edges, one fewer than the nodes: edge *i* leads from node *i* to node *i* + 1.
  public var edges: [Edge]

  /// Creates a path.
  ///
  /// - Parameters:
  ///   - origin: The start of the path.
  ///   - nodes: The nodes in order, at least one; the last node is the object that the path holds.
  ///   - edges: The edges in order, one fewer than the nodes.
  /// - Precondition: There is one edge fewer than there are nodes.
  public init(origin: Origin, nodes: [Node], edges: [Edge]) {
    guard nodes.count == edges.count + 1 else {
      fatalError(
        "a retain path needs one edge fewer than nodes; got nodes: \(nodes.count), "
          + "edges: \(edges.count)")
    }
    self.origin = origin
    self.nodes = nodes
    self.edges = edges
  }

  /// Whether at least one edge is probable.
  public var isProbable: Bool { edges.contains(where: \.isProbable) }
}

extension RetainPath {
  /// The path as text: a line that names the origin, the first node, then a line for each edge and
  /// the node that it leads to.
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
  /// name, if the origin is one), `isProbable`, `nodes` (each with its `typeName`) and `edges`
  /// (each with its `label` and `isProbable`, and `isPayload` if that is true).
  public var json: String {
    let nodes = nodes.map { JSONText.object(["typeName": JSONText.text($0.typeName)]) }
    let edges = edges.map { edge in
      JSONText.object([
        "label": JSONText.text(edge.label), "isProbable": "\(edge.isProbable)",
        "isPayload": edge.isPayload ? "true" : nil,
      ])
    }
    let (name, root) = originMembers
    return JSONText.object([
      "origin": JSONText.text(name.rawValue), "root": root.map(JSONText.text),
      "isProbable": "\(isProbable)", "nodes": JSONText.list(nodes), "edges": JSONText.list(edges),
    ])
  }

  /// The members of the JSON that describe the origin.
  private var originMembers: (name: OriginName, root: String?) {
    switch origin {
    case .cycle: (.cycle, nil)
    case .root(let root): (.root, root)
    case .runningTask: (.runningTask, nil)
    }
  }

  /// The path as a directed graph in DOT, the language of Graphviz.
  ///
  /// Probable edges are dashed, and the object that the path holds is bold.
  public var graphviz: String {
    // A path whose first and last nodes are the same object becomes a cycle in the graph.
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

  /// Returns `text` as a DOT string, in which only quotation marks and backslashes need an escape.
  private static func quoted(_ text: String) -> String {
    "\"\(text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())\""
  }
}

// MARK: - Reading JSON

extension RetainPath {
  fileprivate enum OriginName: String, CaseIterable {
    case cycle, root, runningTask
  }

  /// Creates a path from the JSON that `json` returns.
  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a retain path")
    let nodes = try Self.parts(fields, "nodes") { part throws(JSONError) in
      Node(typeName: try part.needed(part.text("typeName"), "typeName"))
    }
    let edges = try Self.parts(fields, "edges") { part throws(JSONError) in
      Edge(
        label: try part.needed(part.text("label"), "label"),
        isProbable: try part.flag("isProbable") ?? false,
        isPayload: try part.flag("isPayload") ?? false)
    }
    guard nodes.count == edges.count + 1 else {
      throw JSONError(
        offset: node.offset,
        expected: "one edge fewer than nodes; nodes: \(nodes.count), edges: \(edges.count)")
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
      try part(try JSONFields(node, "one of the \(name) of a retain path"))
    }
  }
}

// MARK: - Codable

extension RetainPath: Codable {
  private enum CodingKeys: String, CodingKey {
    case origin, root, isProbable, nodes, edges
  }

  /// Decodes the members of ``json``.
  ///
  /// - Throws: `DecodingError` if the origin is unknown, or if there is not exactly one edge fewer
  ///   than nodes.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let name = try values.decode(String.self, forKey: .origin)
    let nodes = try values.decode([Node].self, forKey: .nodes)
    let edges = try values.decode([Edge].self, forKey: .edges)
    guard let origin = OriginName(rawValue: name), nodes.count == edges.count + 1 else {
      throw DecodingError.dataCorruptedError(
        forKey: .nodes, in: values,
        debugDescription: "a retain path needs the origin cycle, root or runningTask, and one edge "
          + "fewer than nodes; got origin '\(name)', nodes: \(nodes.count), edges: \(edges.count)")
    }
    switch origin {
    case .cycle: self.init(origin: .cycle, nodes: nodes, edges: edges)
    case .runningTask: self.init(origin: .runningTask, nodes: nodes, edges: edges)
    case .root:
      let root = try values.decode(String.self, forKey: .root)
      self.init(origin: .root(root), nodes: nodes, edges: edges)
    }
  }

  /// Encodes the members of ``json``.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    let (name, root) = originMembers
    try values.encode(name.rawValue, forKey: .origin)
    try values.encodeIfPresent(root, forKey: .root)
    try values.encode(isProbable, forKey: .isProbable)
    try values.encode(nodes, forKey: .nodes)
    try values.encode(edges, forKey: .edges)
  }
}

extension RetainPath.Edge {
  private enum CodingKeys: String, CodingKey {
    case label, isProbable, isPayload
  }

  /// Decodes an edge; `isPayload` may be missing.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      label: try values.decode(String.self, forKey: .label),
      isProbable: try values.decode(Bool.self, forKey: .isProbable),
      isPayload: try values.decodeIfPresent(Bool.self, forKey: .isPayload) ?? false)
  }

  /// Encodes the members of an edge in `RetainPath.json`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(label, forKey: .label)
    try values.encode(isProbable, forKey: .isProbable)
    try values.encodeIfPresent(isPayload ? true : nil, forKey: .isPayload)
  }
}
