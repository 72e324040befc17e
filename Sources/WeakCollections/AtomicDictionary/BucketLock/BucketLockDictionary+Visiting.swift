import EpochReclamation
import Primitives

extension BucketLockDictionary {
  public var snapshot: [Key: Value] {
    let pairs = pairs
    var snapshot = [Key: Value](minimumCapacity: pairs.count)
    for (key, value) in pairs { snapshot[key] = value }
    return snapshot
  }

  /// All keys and values; a key that was moved, or removed and set again, meanwhile may be there twice.
  private var pairs: [(Key, Value)] {
    var pairs: [(Key, Value)] = []
    domain.pin {
      let table = current
      for index in 0..<table.bucketCount { collect(index, of: table, into: &pairs) }
    }
    return pairs
  }

  /// Appends the keys of a bucket with their values, wherever they are. For use under a pin.
  func collect(_ index: Int, of table: Table, into pairs: inout [(Key, Value)]) {
    collect(Region(table: table, index: index), in: table, into: &pairs)
  }

  private func collect(_ region: Region, in table: Table, into pairs: inout [(Key, Value)]) {
    for index in region.indices(in: table) {
      let region = region.narrowed(to: index, of: table)
      let state = table.bucket(index).state
      if state.isMoved {
        collect(region, in: tableBehind(table), into: &pairs)
      } else {
        collect(region, index, of: table, state, into: &pairs)
      }
    }
  }

  /// Where to look for what was in a moved bucket of `table`: in the one behind it, but if that has been
  /// replaced too, past all that were.
  func tableBehind(_ table: Table) -> Table {
    let current = current
    return current == table ? table.next.unsafelyUnwrapped : current
  }

  /// What a bucket that had `state`, which was not moved, has of a region.
  private func collect(
    _ region: Region, _ index: Int, of table: Table, _ state: BucketState,
    into pairs: inout [(Key, Value)]
  ) {
    let first = table.bucket(index)
    for bucket in first.all {
      for slot in 0..<Bucket.slotCount {
        let word = bucket.key(slot)
        if word == 0 { continue }
        let print = table.print(ofWord: word, in: index)
        guard region.contains(print) else { continue }
        let key = table.key(ofWord: word, in: index)
        var value = bucket.value(slot)
        // The value may be another key's: this one's is asked for.
        if !first.state.hasVersion(of: state) { value = self.word(for: key, print) }
        if let value = Coding.copy(value) { pairs.append((key, value)) }
      }
    }
  }
}
