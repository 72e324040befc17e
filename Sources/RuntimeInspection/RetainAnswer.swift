import CRuntimeInspection
import LeakReports

/// The packed answer of the search process.
///
/// A path for people folds the nodes that only store another node, such as the storage of an array
/// and the box of an error or of an indirect case: it joins their edges. It inserts a node for a
/// closure whose context is its only captured object.
struct RetainAnswer {
  let answer: UnsafeMutablePointer<cri_answer>
  let roots: [String]
  let timeout: Duration

  func finding(strongCount: Int) -> RetainFinding {
    switch cri_outcome(answer.pointee.outcome) {
    case CRI_OUTCOME_PATH:
      path.map { .path($0, strongCount: strongCount) }
        ?? .unavailable("the search process sent a malformed answer")
    case CRI_OUTCOME_NONE: .none(strongCount: strongCount)
    case CRI_OUTCOME_TIMEOUT:
      .unavailable("the search ran out of time after \(timeout); use a longer timeout")
    case CRI_OUTCOME_CRASH: .unavailable("the search process crashed")
    case CRI_OUTCOME_TOO_LARGE: .unavailable("the reachable objects exceed the limit of a search")
    case CRI_OUTCOME_NO_ANSWER: .unavailable("the search process was killed before it answered")
    case CRI_OUTCOME_NO_MEMORY: .unavailable("the search process could not allocate memory")
    case CRI_OUTCOME_NO_CHILD: .unavailable("the search could not fork a process")
    default: .unavailable("a search for holders needs Linux on a 64-bit platform")
    }
  }

  /// The path; nil if the bytes are malformed.
  private var path: RetainPath? {
    guard let origin, let steps else { return nil }
    var nodes: [RetainPath.Node] = []
    var edges: [RetainPath.Edge] = []
    var folded: RetainPath.Edge?
    for step in steps {
      let edge = folded.map { $0.continued(by: step.edge) } ?? step.edge
      folded = step.isFolded && !nodes.isEmpty ? edge : nil
      if folded != nil { continue }
      if !nodes.isEmpty { edges.append(edge) }
      if step.isSoleCapture {
        nodes.append(RetainPath.Node(typeName: "closure"))
        edges.append(RetainPath.Edge(label: "capture"))
      }
      nodes.append(RetainPath.Node(typeName: step.typeName))
    }
    return nodes.isEmpty ? nil : RetainPath(origin: origin, nodes: nodes, edges: edges)
  }

  private var origin: RetainPath.Origin? {
    switch cri_origin(answer.pointee.origin) {
    case CRI_ORIGIN_CYCLE: return .cycle
    case CRI_ORIGIN_TASK: return .runningTask
    default:
      let index = Int(answer.pointee.root_index)
      return roots.indices.contains(index) ? .root(roots[index]) : nil
    }
  }

  private var steps: [RetainStep]? {
    let bytes = UnsafeRawBufferPointer(
      start: cri_bytes(answer), count: Int(answer.pointee.byte_count))
    var rest = bytes[...]
    var steps: [RetainStep] = []
    for _ in 0..<answer.pointee.node_count {
      guard let step = RetainStep(taking: &rest) else { return nil }
      steps.append(step)
    }
    return steps
  }
}

/// A node in the packed answer, with the edge that leads to it.
private struct RetainStep {
  let edge: RetainPath.Edge
  private let node: cri_packed_node

  /// Reads a step from the front of `bytes`, and removes it there.
  ///
  /// Returns nil if the bytes are malformed: the memory that the process walked through may have
  /// damaged it.
  init?(taking bytes: inout Slice<UnsafeRawBufferPointer>) {
    let head = UnsafeRawBufferPointer(rebasing: bytes)
    let size = MemoryLayout<cri_packed_node>.size
    guard head.count >= size else { return nil }
    node = head.loadUnaligned(as: cri_packed_node.self)
    let length = Int(node.label_length)
    guard length <= head.count - size else { return nil }
    let label = String(decoding: head[size..<size + length], as: UTF8.self)
    let flags = UInt32(node.edge_flags)
    edge = RetainPath.Edge(label: label, isProbable: flags & CRI_EDGE_PROBABLE.rawValue != 0)
    bytes = bytes.dropFirst(size + length)
  }

  var isSoleCapture: Bool { UInt32(node.edge_flags) & CRI_EDGE_SOLE_CAPTURE.rawValue != 0 }

  /// Whether the node only stores another node.
  var isFolded: Bool {
    switch cri_node_kind(UInt32(node.kind)) {
    case CRI_NODE_ERROR: true
    // The box of an indirect case, unless a closure captures it.
    case CRI_NODE_VARIABLE: edge.label != "capture" && !isSoleCapture
    case CRI_NODE_OBJECT: Self.storages.contains { typeName.hasPrefix($0) }
    default: false
    }
  }

  var typeName: String {
    switch cri_node_kind(UInt32(node.kind)) {
    case CRI_NODE_CLOSURE: "closure"
    case CRI_NODE_VARIABLE: "captured variable"
    case CRI_NODE_TASK: "task"
    case CRI_NODE_OBJECT: className
    case CRI_NODE_ERROR: "error"
    default: "…"
    }
  }

  private static let storages = [
    "Swift._ContiguousArrayStorage<", "Swift._DictionaryStorage<", "Swift._SetStorage<",
  ]

  private var className: String {
    guard let type = UnsafeRawPointer(bitPattern: UInt(node.metadata)) else { return "?" }
    return nameWithoutAddresses(String(reflecting: unsafeBitCast(type, to: AnyClass.self)))
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
