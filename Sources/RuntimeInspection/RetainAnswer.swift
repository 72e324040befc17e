import CRuntimeInspection
import LeakReports

/// The packed answer of the search process.
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
    case CRI_OUTCOME_NO_ANSWER:
      .unavailable("the search process ended without an answer; the memory may be exhausted")
    case CRI_OUTCOME_NO_MEMORY: .unavailable("the search process could not allocate memory")
    case CRI_OUTCOME_NO_CHILD:
      .unavailable("the search could not fork or create a pipe; it may have reached a system limit")
    default: .unavailable("a search for holders needs Linux on a 64-bit platform")
    }
  }

  /// The path; nil if the bytes are malformed.
  private var path: RetainPath? {
    guard let origin, let steps else { return nil }
    return RetainPath(origin: origin, steps: steps)
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

extension RetainStep {
  /// Reads a step from the front of `bytes`, and removes it from them.
  ///
  /// Returns nil if the bytes are malformed: inconsistent memory may have made the search process
  /// misbehave.
  fileprivate init?(taking bytes: inout Slice<UnsafeRawBufferPointer>) {
    let head = UnsafeRawBufferPointer(rebasing: bytes)
    let size = MemoryLayout<cri_packed_node>.size
    guard head.count >= size else { return nil }
    let node = head.loadUnaligned(as: cri_packed_node.self)
    let length = Int(node.label_length)
    guard length <= head.count - size else { return nil }
    let label = String(decoding: head[size..<size + length], as: UTF8.self)
    let flags = UInt32(node.edge_flags)
    let kind = cri_node_kind(UInt32(node.kind))
    self.init(
      edge: RetainPath.Edge(
        label: label, isProbable: flags & CRI_EDGE_PROBABLE.rawValue != 0,
        isPayload: flags & CRI_EDGE_PAYLOAD.rawValue != 0),
      kind: kind, className: kind == CRI_NODE_OBJECT ? Self.className(node) : "",
      isSoleCapture: flags & CRI_EDGE_SOLE_CAPTURE.rawValue != 0)
    bytes = bytes.dropFirst(size + length)
  }

  private static func className(_ node: cri_packed_node) -> String {
    guard let type = UnsafeRawPointer(bitPattern: UInt(node.metadata)) else { return "?" }
    return nameWithoutAddresses(String(reflecting: unsafeBitCast(type, to: AnyClass.self)))
  }
}
