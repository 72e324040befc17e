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

  /// Returns the edge from a block to the next one on a path. The edge is probable if no type
  /// describes the reference.
  private func edge(
    from step: cri_heap_step, _ kind: cri_node_kind, _ className: String
  ) -> RetainPath.Edge {
    switch kind {
    case CRI_NODE_OBJECT:
      if RetainStep.isStorage(className) { return RetainPath.Edge(label: "[x]") }
      let field = names.field(ofClass: UInt(step.metadata), at: UInt(step.offset))
      // No type metadata describes the elements behind the fields.
      return RetainPath.Edge(label: field.map { ".\($0)" } ?? "[x]", isProbable: field == nil)
    case CRI_NODE_CLOSURE: return RetainPath.Edge(label: "capture")
    case CRI_NODE_VARIABLE, CRI_NODE_ERROR: return RetainPath.Edge(label: "value")
    case CRI_NODE_TASK: return RetainPath.Edge(label: "frame of a task", isProbable: true)
    default: return RetainPath.Edge(label: "a word", isProbable: true)
    }
  }
}
