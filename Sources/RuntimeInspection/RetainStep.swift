import CRuntimeInspection
import LeakReports

/// A node of a path that a walk of the heap found, with the edge that leads to it.
struct RetainStep {
  let edge: RetainPath.Edge
  let kind: cri_node_kind
  /// The name of the class of an object.
  let className: String
  /// Whether the edge leads from a function value to the only object that its closure captures.
  var isSoleCapture = false

  /// Whether the node only stores another node, so that a path for people omits it.
  fileprivate var isFolded: Bool {
    switch kind {
    case CRI_NODE_ERROR: true
    // The box of an indirect enum case, but not that of a captured variable.
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
  /// It omits the nodes that only store another node, such as the storage of an array and the box
  /// of an error or of an indirect enum case, and joins their edges. It inserts a node for each
  /// closure that has no context of its own, because it captures a single object.
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
  /// Joins this edge, which leads to an omitted node, with the `next` one.
  fileprivate func continued(by next: RetainPath.Edge) -> RetainPath.Edge {
    let label =
      next.label.hasPrefix("value") ? next.label.dropFirst("value".count) : next.label[...]
    return RetainPath.Edge(
      label: self.label + label, isProbable: isProbable || next.isProbable,
      isPayload: next.isPayload)
  }
}
