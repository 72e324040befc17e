import LeakReports
import CRuntimeInspection

/// A node as the copy of this process has written it, after the edge that leads to it.
struct RetainStep {
  let edge: RetainPath.Edge
  private let node: cri_packed_node

  /// Nil if the bytes are not those of one: the copy may have come to harm in what it walked through.
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

  /// Whether it is only part of how another is stored.
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
