import EpochReclamation
import Primitives

extension BucketLockDictionary {
  /// Removes the keys bucket by bucket; keys set meanwhile may stay.
  public func removeAll() {
    Exclusion.checkNotHeld(self)
    var left: [(Key, Value)] = []
    domain.pin {
      let table = current
      for index in 0..<table.bucketCount {
        clear(Region(table: table, index: index), in: table, leaving: &left)
      }
      shrinkIfSparse(current)
    }
    for (key, _) in left { removeValue(forKey: key) }
  }

  /// Removes the keys of a region, and what else is in their buckets; those of a bucket that stays locked
  /// are `left`.
  private func clear(_ region: Region, in table: Table, leaving left: inout [(Key, Value)]) {
    for index in region.indices(in: table) {
      let bucket = table.bucket(index)
      guard let state = lock(bucket) else {
        collect(index, of: table, into: &left)
        continue
      }
      if !state.isMoved { clear(bucket) }
      unlock(bucket, state)
      if state.isMoved {
        clear(region.narrowed(to: index, of: table), in: tableBehind(table), leaving: &left)
      }
    }
  }

  /// For whoever has the lock of `bucket`.
  private func clear(_ bucket: Bucket) {
    var removed = 0
    for bucket in bucket.all {
      for slot in 0..<Bucket.slotCount where bucket.key(slot) != 0 {
        let old = bucket.value(slot)
        let word = takeKey(at: Table.Place(bucket: bucket, slot: slot, hasKey: true), old)
        Coding.retire(old, in: domain)
        if !KeyCoding<Key>.fitsWord { KeyCoding<Key>.retire(word, in: domain) }
        removed += 1
      }
    }
    if removed > 0 { live.add(-removed) }
  }
}
