import CRuntimeInspection
import LeakReports

extension DominatorTree {
  /// Creates the tree of a counted heap.
  ///
  /// - Parameters:
  ///   - groups: The groups of blocks, the origins first; not empty.
  ///   - rows: All rows of types.
  init(_ groups: [cri_heap_group], _ rows: [cri_heap_row], _ names: TypeNames) {
    let origins: [Node.Kind] = [.globals, .tasks, .stacks, .unreachable]
    var subjects: [UInt32: (kind: HeapSnapshot.Entry.Kind, typeName: String)] = [:]
    let nodes = groups.enumerated().map { index, group in
      var node = Node(
        parent: Int(group.parent), kind: .other, count: Int(group.count), bytes: Int(group.bytes),
        retainedBytes: Int(group.retained_bytes))
      if index < origins.count {
        (node.parent, node.kind) = (nil, origins[index])
      } else if group.row > 0 {
        let subject = subjects[group.row] ?? names.subject(of: rows[Int(group.row) - 1])
        subjects[group.row] = subject
        (node.kind, node.typeName) = (Node.Kind(subject.kind), subject.typeName)
      }
      return node
    }
    self.init(nodes: nodes)
  }
}

extension DominatorTree.Node.Kind {
  fileprivate init(_ kind: HeapSnapshot.Entry.Kind) {
    self =
      switch kind {
      case .object: .object
      case .closure: .closure
      case .box: .box
      case .error: .error
      case .task: .task
      }
  }
}
