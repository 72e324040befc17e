import EpochReclamation
import Primitives

extension LockFreeDictionary {
  var current: Table {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange in
    // `replace`.
    Table(memory: root.load(ordering: .sequentiallyConsistent))
  }

  func resizeIfNeeded(_ table: Table) {
    // Relaxed: a little more or less than the truth replaces the table a little earlier or later.
    let count = valueCount.load(ordering: .relaxed)
    let isSparse = table.bucketCount > Self.leastBucketCount && count < table.bucketCount / 8
    if count > table.bucketCount || isSparse { replace(table) }
  }

  /// Replaces `table`, if it is still the current one, by one with buckets to suit its nodes.
  func replace(_ table: Table) {
    var nodes: [Node.Pointer] = []
    for index in (Defect.bucketForgotten.isPlanted ? 1 : 0)..<table.bucketCount {
      Node.forEach(from: table.bucket(at: index).pointee.freeze()) { nodes.append($0) }
    }
    let replacement = Table(bucketCount: Self.bucketCount(forNodes: nodes.count))
    for node in nodes {
      let copy = Node.copy(node, next: nil)
      replacement.bucket(forHash: copy.pointee.hash).pointee.prepend(copy)
    }
    HaltPoint.betweenAtomics.reach()
    // Sequentially consistent: unlinks the old table, which is retired next, and publishes the new one.
    let (isOurs, _) = root.compareExchange(
      expected: table.memory, desired: replacement.memory, ordering: .sequentiallyConsistent)
    if isOurs {
      domain.retire(table.memory, as: Table.self)
    } else {
      CurrentThread.noteFailedExchange()
      // Copies all, whose originals our pin protects: none holds a last reference.
      replacement.destroy()
    }
  }

  /// A power of two, from twice to four times the nodes.
  private static func bucketCount(forNodes count: Int) -> Int {
    var bucketCount = leastBucketCount
    while bucketCount < count * 2 { bucketCount *= 2 }
    return bucketCount
  }
}
