/// The keys that belong into one bucket of a table, wherever they are by now: a set of hashes.
struct BucketRegion<Key: Hashable, Value> {
  typealias Table = BucketTable<Key, Value>

  let table: Table
  let index: Int

  func contains(_ print: Fingerprint<Key>) -> Bool {
    table.probe(print).bucket == table.bucket(index)
  }

  /// The buckets of another table that have some of its keys.
  func indices(in other: Table) -> StrideTo<Int> { table.successors(of: index, in: other) }

  /// What it has in common with a bucket of another table, which is one of `indices`.
  ///
  /// To go on with it rather than with that bucket is what keeps a way through smaller and larger tables
  /// from meeting the same bucket once for each other way there.
  func narrowed(to index: Int, of other: Table) -> BucketRegion {
    other.size > table.size ? BucketRegion(table: other, index: index) : self
  }
}
