import EpochReclamation
import Primitives

extension BucketLockDictionary {
  public func value(forKey key: Key) -> Value? {
    let print = Print(key)
    return domain.pin { Coding.copy(word(for: key, print)) }
  }

  /// Calls `body` with the value for `key`, which is neither copied nor retained; nil without a value.
  ///
  /// `body` runs with the epoch pinned: while it runs, nothing that anybody takes out of a collection of
  /// this domain is released. The value that it has got may be replaced meanwhile.
  public func withValue<R, F: Error>(
    forKey key: Key, _ body: (borrowing Value) throws(F) -> R
  ) throws(F) -> R? {
    let print = Print(key)
    return try domain.pin { () throws(F) -> R? in try Coding.borrow(word(for: key, print), body) }
  }

  public func values(forKeys keys: [Key]) -> [Value?] {
    Coding.values(forKeys: keys, in: domain) {
      current.probe($0).bucket.address
    } word: {
      word(for: $0, $1)
    }
  }

  var current: Table {
    @inline(__always) get {
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange
      // in `unlink`.
      Table(memory: root.load(ordering: .sequentiallyConsistent))
    }
  }

  /// The word of the value for `key`, or `absent`. For use under a pin.
  @inline(__always)
  func word(for key: Key, _ print: Print) -> ValueWord {
    let probe = current.probe(print)
    let state = probe.bucket.state
    if !state.isMoved {
      if let slot = Table.slot(of: key, print, probe.sought, in: probe.bucket) {
        let word = probe.bucket.value(slot)
        if probe.bucket.state.hasVersion(of: state) { return word }
      } else if probe.bucket.next == nil {
        return .absent
      }
    }
    return search(key, print)
  }

  /// The same, whatever the first bucket was seen to hold.
  @inline(never)
  private func search(_ key: Key, _ print: Print) -> ValueWord {
    var table = current
    while true {
      let probe = table.probe(print)
      let state = probe.bucket.state
      if state.isMoved && !Defect.movedBucketRead.isPlanted {
        table = table.next.unsafelyUnwrapped
      } else if let word = word(for: key, print, probe, state) {
        return word
      }
    }
  }

  /// The word for `key` in a bucket or one behind it; nil if the slot in which it was found may have got
  /// another key meanwhile.
  private func word(
    for key: Key, _ print: Print, _ probe: Table.Probe, _ state: BucketState
  ) -> ValueWord? {
    var rest: Bucket? = probe.bucket
    while let bucket = rest {
      if let slot = Table.slot(of: key, print, probe.sought, in: bucket) {
        let word = bucket.value(slot)
        return probe.bucket.state.hasVersion(of: state) ? word : nil
      }
      rest = bucket.next
    }
    return .absent
  }
}
