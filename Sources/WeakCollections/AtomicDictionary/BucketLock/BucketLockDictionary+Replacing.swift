import Primitives

extension BucketLockDictionary {
  /// Begins to replace `table` by a larger one if it has many keys, two to a bucket.
  @inline(never)
  func growIfDense(_ table: Table) {
    let count = live.total
    guard count > 2 * table.size else { return }
    var size = 2 * table.size
    // More than twice as large when an `update` has kept the last move from ending.
    while 2 * size < count { size *= 2 }
    replace(table, bySize: size)
  }

  /// Begins to replace `table` by a smaller one if it has few keys.
  @inline(never)
  func shrinkIfSparse(_ table: Table) {
    guard table.size > leastSize, 4 * live.total < table.size else { return }
    // In steps, so that a unit has few buckets.
    replace(table, bySize: max(leastSize, table.size / 4))
  }

  private func replace(_ table: Table, bySize size: Int) {
    guard table == current, table.next == nil else { return }
    let next = Table(size: size, seeds: table.head.pointee.seeds)
    if !table.append(next) {
      CurrentThread.noteFailedExchange()
      next.deallocate()
    }
  }
}
