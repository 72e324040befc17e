// What is moved at once is a unit: the buckets of both tables whose indices are the same modulo the smaller
// size. The last unit is that of the zero key, if there is one.
extension BucketTable {
  /// The buckets of this table in a unit that is moved to `next`.
  func indices(ofUnit unit: Int, movedTo next: BucketTable) -> StrideTo<Int> {
    let count = min(size, next.size)
    if unit == count { return stride(from: size, to: size + 1, by: 1) }
    return stride(from: unit, to: size, by: count)
  }

  /// Where the keys of a bucket are in the table behind.
  func successors(of index: Int, in next: BucketTable) -> StrideTo<Int> {
    if index == size { return stride(from: next.size, to: next.size + 1, by: 1) }
    return stride(from: index & (next.size - 1), to: next.size, by: size)
  }
}
