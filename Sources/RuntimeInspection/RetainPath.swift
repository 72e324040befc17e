import LeakReports

/// What holds an object: from a root, from a running task or from the object itself, edge by edge.
public struct RetainPath: Sendable, Hashable {
  public enum Origin: Sendable, Hashable {
    /// The object holds itself: the path's first node is the object too.
    case cycle
    /// An object that was named as a root holds it, which need not be a leak.
    case root(String)
    /// A task that has not finished holds it: it may be released yet. The task is one of the nodes;
    /// the first is the object itself if it holds the task.
    case runningTask
  }

  public struct Node: Sendable, Hashable {
    /// "Module.Type", the same in every run, or one of "closure", "captured variable", "task" and
    /// "…", which is the middle of a path of more than a hundred nodes.
    public var typeName: String

    public init(typeName: String) { self.typeName = typeName }
  }

  public struct Edge: Sendable, Hashable {
    /// ".delegate", ".items[x]", ".state.loaded.0" (a field, an element, an enum's payload),
    /// "capture", "value" of a captured variable, "frame of a task".
    public var label: String
    /// Found by its address alone, where nothing says which words are references: it may be left
    /// over.
    public var isProbable: Bool

    public init(label: String, isProbable: Bool = false) {
      self.label = label
      self.isProbable = isProbable
    }
  }

  public var origin: Origin
  /// The last is the object that was asked about.
  public var nodes: [Node]
  /// One fewer than the nodes: edge *i* leads from node *i* to the next.
  public var edges: [Edge]

  /// - Precondition: There is an edge between each two nodes.
  public init(origin: Origin, nodes: [Node], edges: [Edge]) {
    precondition(nodes.count == edges.count + 1, "expected an edge between each two nodes")
    self.origin = origin
    self.nodes = nodes
    self.edges = edges
  }

  /// Whether any edge is.
  public var isProbable: Bool { edges.contains(where: \.isProbable) }
}

extension RetainPath {
  /// Lines for people: what holds the object, then a line for each node after the edge that leads
  /// to it.
  public var text: String {
    let steps = zip(edges, nodes.dropFirst()).map { edge, node in
      "  \(edge.label) -> \(node.typeName)\(edge.isProbable ? " (probable)" : "")"
    }
    return ([title, "  \(nodes[0].typeName)"] + steps).joined(separator: "\n")
  }

  private var title: String {
    let subject = nodes[nodes.count - 1].typeName
    return switch origin {
    case .cycle: "\(subject) holds itself:"
    case .root(let name): "\(subject) is held by the root \"\(name)\":"
    case .runningTask: "\(subject) is held by a running task:"
    }
  }
}

extension RetainPath {
  /// One JSON object: `origin` ("cycle", "root" or "runningTask"), `root` (the root's name, if it
  /// is one), `isProbable`, `nodes` (each with its `typeName`) and `edges` (each with its `label`
  /// and `isProbable`).
  public var json: String {
    let nodes = nodes.map { JSONText.object(["typeName": JSONText.text($0.typeName)]) }
    let edges = edges.map { edge in
      JSONText.object(["label": JSONText.text(edge.label), "isProbable": "\(edge.isProbable)"])
    }
    return JSONText.object([
      "origin": JSONText.text(origin.name), "root": origin.root.map(JSONText.text),
      "isProbable": "\(isProbable)", "nodes": JSONText.list(nodes), "edges": JSONText.list(edges),
    ])
  }
}

extension RetainPath.Origin {
  fileprivate var name: String {
    switch self {
    case .cycle: "cycle"
    case .root: "root"
    case .runningTask: "runningTask"
    }
  }

  fileprivate var root: String? {
    if case .root(let name) = self { name } else { nil }
  }
}

extension RetainPath {
  /// A directed graph in Graphviz's language DOT. Edges that are probable are dashed, the object
  /// asked about is bold.
  public var graphviz: String {
    // A path that returns to where it began is drawn as a ring.
    let returns = origin == .cycle || (origin == .runningTask && nodes.first == nodes.last)
    let drawn = returns && nodes.count > 1 ? nodes.count - 1 : nodes.count
    var lines = ["digraph retainPath {"]
    for (index, node) in nodes[..<drawn].enumerated() {
      let isSubject = index == (nodes.count - 1) % drawn
      let style = isSubject ? ", style=bold" : ""
      lines.append("  n\(index) [label=\(quoted(label(of: node, at: index)))\(style)];")
    }
    for (index, edge) in edges.enumerated() {
      let style = edge.isProbable ? ", style=dashed" : ""
      let target = (index + 1) % drawn
      lines.append("  n\(index) -> n\(target) [label=\(quoted(edge.label))\(style)];")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private func label(of node: Node, at index: Int) -> String {
    guard index == 0, case .root(let name) = origin else { return node.typeName }
    return "\(name): \(node.typeName)"
  }

  /// DOT knows no escapes but that of the quotation mark, and those of lines.
  private func quoted(_ text: String) -> String {
    "\"\(text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())\""
  }
}
