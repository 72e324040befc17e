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
