/// The types of a heap as a tree: below each type are those whose objects it retains.
///
/// An object retains what would be deallocated with it: itself and all that is reachable only
/// through it. Objects of one type on the same path are one node. An object that another one of its
/// type retains belongs to that one's node, so a linked list is one node, which counts all its
/// elements.
///
/// The roots are the four origins. An object belongs to the first one that reaches it, in the order
/// of ``Node/Kind-swift.enum``, and an origin retains what no earlier one reaches. Every word that
/// equals the address of an object counts as a reference, except in weak and unowned stored
/// properties.
public struct DominatorTree: Sendable, Hashable, Codable {
  /// The objects of one type on one path.
  public struct Node: Sendable, Hashable, Codable {
    /// The kind of a node.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
      /// The global variables, an origin.
      case globals
      /// All tasks, an origin.
      case tasks
      /// The stacks of threads and memory outside the allocator, an origin.
      case stacks
      /// All objects that no other origin reaches: they are leaked, or a register of a processor
      /// holds them.
      case unreachable
      /// Instances of a class or an actor.
      case object
      /// The captures of closures, or captured variables.
      case closure
      /// Boxes of values.
      case box
      /// Boxes of errors.
      case error
      /// Tasks; their frames are other blocks.
      case task
      /// Blocks that are not Swift objects, such as buffers and the memory of C code.
      case other
    }

    /// The index of the node that retains this one; nil for an origin. It is smaller than the
    /// node's own index.
    public var parent: Int?
    /// The kind of the objects.
    public var kind: Kind
    /// The name of the type, as in a snapshot's entries; empty for an origin and for other blocks.
    public var typeName: String
    /// The number of objects; 0 for an origin.
    public var count: Int
    /// The bytes of their own blocks.
    public var bytes: Int
    /// The bytes that would be deallocated with these objects, including their own.
    public var retainedBytes: Int
    /// The number of nodes directly below this one that the tree omits because they retain less
    /// than those it shows.
    public var omittedCount: Int

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - parent: The index of the node that retains this one; nil for an origin.
    ///   - kind: The kind of the objects.
    ///   - typeName: The name of the type.
    ///   - count: The number of objects.
    ///   - bytes: The bytes of their own blocks.
    ///   - retainedBytes: The bytes that would be deallocated with these objects.
    ///   - omittedCount: The number of nodes below this one that the tree omits.
    public init(
      parent: Int?, kind: Kind, typeName: String = "", count: Int = 0, bytes: Int = 0,
      retainedBytes: Int, omittedCount: Int = 0
    ) {
      self.parent = parent
      self.kind = kind
      self.typeName = typeName
      self.count = count
      self.bytes = bytes
      self.retainedBytes = retainedBytes
      self.omittedCount = omittedCount
    }

    /// The node as a page shows it: the origin, or the type with its kind.
    public var text: String {
      switch kind {
      case .globals: "global variables"
      case .tasks: "tasks"
      case .stacks: "stacks, or memory outside malloc"
      case .unreachable: "unreachable: leaked, or held by a register"
      case .object, .task: typeName
      case .closure: "captures \(typeName)"
      case .box: "box of \(typeName)"
      case .error: "error \(typeName)"
      case .other: "other blocks"
      }
    }
  }

  /// The nodes. Each one comes after its parent, and a parent's nodes come largest first.
  public let nodes: [Node]

  /// Creates the tree of the nodes without a parent, and of the others that retain most.
  ///
  /// - Parameters:
  ///   - nodes: All nodes, each one after its parent. A node retains at most as much as its parent.
  ///   - limit: The maximum number of nodes, at least that of the nodes without a parent.
  /// - Precondition: Every parent comes before its nodes, and `limit` is large enough.
  public init(nodes: [Node], limit: Int = 500) {
    let origins = nodes.count { $0.parent == nil }
    guard limit >= origins else {
      fatalError("limit must be at least \(origins), the nodes without a parent, got \(limit)")
    }
    for (index, node) in nodes.enumerated() {
      guard (node.parent.map { 0..<index ~= $0 } ?? true) else {
        fatalError("the parent of node \(index) must come before it, got \(node.parent ?? 0)")
      }
    }
    // Nodes without a parent come first, because their sum is that of all blocks. With the index as
    // the last key, a parent precedes its nodes.
    func key(_ index: Int) -> (Int, Int, Int) {
      (nodes[index].parent == nil ? 0 : 1, -nodes[index].retainedBytes, index)
    }
    let order = nodes.indices.sorted { key($0) < key($1) }
    let places = Dictionary(
      uniqueKeysWithValues: order.prefix(limit).enumerated().map { ($1, $0) })
    var kept = order.prefix(limit).map { index in
      var node = nodes[index]
      node.parent = node.parent.flatMap { places[$0] }
      return node
    }
    for index in order.dropFirst(limit) {
      guard let place = nodes[index].parent.flatMap({ places[$0] }) else { continue }
      kept[place].omittedCount += 1
    }
    self.nodes = kept
  }

  /// The bytes of all blocks in the tree.
  public var retainedBytes: Int {
    nodes.reduce(0) { $0 + ($1.parent == nil ? $1.retainedBytes : 0) }
  }

  /// The indices of the nodes directly below each node, largest first.
  public var children: [[Int]] {
    var children = [[Int]](repeating: [], count: nodes.count)
    for (index, node) in nodes.enumerated() {
      if let parent = node.parent { children[parent].append(index) }
    }
    return children
  }
}

// MARK: - JSON

extension DominatorTree {
  var json: String { JSONText.object(["nodes": JSONText.list(nodes.map(\.json))]) }

  init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a dominator tree")
    var nodes: [Node] = []
    for node in try fields.needed(fields.list("nodes"), "nodes") {
      let read = try Node(node)
      guard read.parent.map({ 0..<nodes.count ~= $0 }) ?? true else {
        throw JSONError(offset: node.offset, expected: "a parent before its nodes")
      }
      guard read.retainedBytes <= read.parent.map({ nodes[$0].retainedBytes }) ?? .max else {
        throw JSONError(
          offset: node.offset, expected: "a node that retains at most its parent's bytes")
      }
      nodes.append(read)
    }
    self.init(nodes: nodes, limit: nodes.count)
  }
}

extension DominatorTree.Node {
  fileprivate var json: String {
    JSONText.object([
      "parent": parent.map(JSONText.count), "kind": JSONText.text(kind.rawValue),
      "typeName": JSONText.text(typeName), "count": JSONText.count(count),
      "bytes": JSONText.count(bytes), "retainedBytes": JSONText.count(retainedBytes),
      "omittedCount": JSONText.count(omittedCount),
    ])
  }

  fileprivate init(_ node: JSONNode) throws(JSONError) {
    let fields = try JSONFields(node, "a node of a dominator tree")
    func count(_ name: String) throws(JSONError) -> Int {
      try fields.needed(fields.count(name), name)
    }
    self.init(
      parent: try fields.count("parent"),
      kind: try fields.needed(fields.name("kind", of: Kind.self), "kind"),
      typeName: try fields.needed(fields.text("typeName"), "typeName"),
      count: try count("count"), bytes: try count("bytes"),
      retainedBytes: try count("retainedBytes"), omittedCount: try count("omittedCount"))
  }
}
