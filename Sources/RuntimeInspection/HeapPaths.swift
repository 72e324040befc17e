import CRuntimeInspection
import LeakReports

/// The paths of references in a counted heap, one for each type: each leads to an example of the
/// type.
struct HeapPaths {
  private let steps: [cri_heap_step]
  private let names: TypeNames

  init(_ steps: [cri_heap_step], _ names: TypeNames) {
    self.steps = steps
    self.names = names
  }

  /// Returns the path to the example of a type; nil if the search found none.
  func path(of row: cri_heap_row) -> RetainPath? {
    let (start, length) = (Int(row.path_start), Int(row.path_length))
    guard length > 0, start + length <= steps.count else { return nil }
    let origin: RetainPath.Origin =
      switch cri_holder_origin(row.path_origin) {
      case CRI_HOLDER_GLOBAL: .root("global variables")
      case CRI_HOLDER_TASK: .runningTask
      case CRI_HOLDER_ITSELF: .cycle
      default: .root("a stack, or memory outside malloc")
      }
    let path = steps[start..<start + length]
    var edge = RetainPath.Edge(label: "")
    let found = path.map { step in
      let kind = step.metadata == 0 && step.kind == 0 ? CRI_NODE_MEMORY : cri_node_kind(step.kind)
      let isObject = kind == CRI_NODE_OBJECT
      let className = isObject ? names.name(ofType: UInt(step.metadata)) : ""
      defer { edge = self.edge(from: step, kind, className) }
      return RetainStep(edge: edge, kind: kind, className: className)
    }
    return RetainPath(origin: origin, steps: found)
  }

  /// Returns the edge from a block to the next one on a path.
  ///
  /// The count found every edge by scanning words. An edge is certain only if the type of the field
  /// or of the capture is a reference: in other values a word may be a number, or left over.
  private func edge(
    from step: cri_heap_step, _ kind: cri_node_kind, _ className: String
  ) -> RetainPath.Edge {
    switch kind {
    case CRI_NODE_OBJECT:
      let field = names.field(ofClass: UInt(step.metadata), at: UInt(step.offset))
      // No type metadata describes the elements behind the fields, some of which may be unused.
      guard !RetainStep.isStorage(className), let field else {
        return RetainPath.Edge(label: "[x]", isProbable: true)
      }
      return RetainPath.Edge(label: ".\(field.name)", isProbable: !field.isReference)
    case CRI_NODE_CLOSURE:
      let isReference = names.isReference(inClosure: UInt(step.metadata), at: UInt(step.offset))
      return RetainPath.Edge(label: "capture", isProbable: !isReference)
    case CRI_NODE_VARIABLE:
      let isReference = names.isReference(inBox: UInt(step.metadata), at: UInt(step.offset))
      return RetainPath.Edge(label: "value", isProbable: !isReference)
    case CRI_NODE_ERROR: return RetainPath.Edge(label: "value", isProbable: true)
    case CRI_NODE_TASK: return RetainPath.Edge(label: "frame of a task", isProbable: true)
    default: return RetainPath.Edge(label: "a word", isProbable: true)
    }
  }
}
