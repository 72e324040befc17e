import CRuntimeInspection
import LeakReports

/// A node of a path as a walk of the heap finds it, with the edge that leads to it.
struct RetainStep {
  let edge: RetainPath.Edge
  let kind: cri_node_kind
  /// The name of the class of an object.
  let className: String
  /// Whether the edge leads from a function value to the only object that its closure captures.
  var isSoleCapture = false

  /// Whether the node only stores another node.
  fileprivate var isFolded: Bool {
    switch kind {
    case CRI_NODE_ERROR: true
    // The box of an indirect case, unless a closure captures it.
    case CRI_NODE_VARIABLE: edge.label != "capture" && !isSoleCapture
    case CRI_NODE_OBJECT: Self.isStorage(className)
    default: false
    }
  }

  /// Returns whether a class of the standard library stores the elements of a collection.
  static func isStorage(_ className: String) -> Bool {
    storages.contains { className.hasPrefix($0) }
  }

  private static let storages = [
    "Swift._ContiguousArrayStorage<", "Swift._DictionaryStorage<", "Swift._SetStorage<",
  ]

  fileprivate var typeName: String {
    switch kind {
    case CRI_NODE_CLOSURE: "closure"
    case CRI_NODE_VARIABLE: "captured variable"
    case CRI_NODE_TASK: "task"
    case CRI_NODE_OBJECT: className
    case CRI_NODE_ERROR: "error"
    case CRI_NODE_MEMORY: "memory"
    default: "…"
    }
  }
}

extension RetainPath {
  /// Creates a path for people from the steps of a walk; nil without steps.
  ///
  /// It folds the nodes that only store another node, such as the storage of an array and the box
  /// of an error or of an indirect case: it joins their edges. It inserts a node for a closure
  /// whose context is its only captured object.
  init?(origin: Origin, steps: [RetainStep]) {
    var nodes: [Node] = []
    var edges: [Edge] = []
    var folded: Edge?
    for step in steps {
      let edge = folded.map { $0.continued(by: step.edge) } ?? step.edge
      folded = step.isFolded && !nodes.isEmpty ? edge : nil
      if folded != nil { continue }
      if !nodes.isEmpty { edges.append(edge) }
      if step.isSoleCapture {
        nodes.append(Node(typeName: "closure"))
        edges.append(Edge(label: "capture"))
      }
      nodes.append(Node(typeName: step.typeName))
    }
    guard !nodes.isEmpty else { return nil }
    self.init(origin: origin, nodes: nodes, edges: edges)
  }
}

extension RetainPath.Edge {
  /// Joins this edge, which leads to a folded node, with the `next` one.
  fileprivate func continued(by next: RetainPath.Edge) -> RetainPath.Edge {
    let label =
      next.label.hasPrefix("value") ? next.label.dropFirst("value".count) : next.label[...]
    return RetainPath.Edge(label: self.label + label, isProbable: isProbable || next.isProbable)
  }
}
