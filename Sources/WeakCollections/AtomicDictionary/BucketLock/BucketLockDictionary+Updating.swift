import EpochReclamation
import Primitives

extension BucketLockDictionary {
  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    Exclusion.checkNotHeld(self)
    let print = Print(key)
    var old: Value?
    var new: Value?
    // Held from before the lock, so that no reclaimer runs while this thread has it.
    let result = Exclusion.hold(self) {
      let holding = hold(print)
      // The lock keeps the table and the word, so that no pin is needed.
      let place = holding.table.place(of: key, print, holding.probe)
      let prior = place.hasKey ? place.bucket.value(place.slot) : .absent
      old = Coding.copy(prior)
      new = old
      if Defect.bodyRunsTwice.isPlanted { _ = Result { () throws(F) in try body(&new) } }
      let result = Result { () throws(F) in try body(&new) }
      if case .success = result {
        end(key, print, at: place, prior, holding, with: new.map { Coding.encode($0) } ?? .absent)
      } else {
        unlock(holding.probe.bucket, holding.state)
      }
      return result
    }
    return try withExtendedLifetime((old, new)) { () throws(F) in try result.get() }
  }

  private func hold(_ print: Print) -> Holding {
    while true {
      // A replaced table is given back later: not inside the exclusion.
      var isReplaced = false
      if let holding = domain.pin({ tryHold(print, &isReplaced) }) { return holding }
      sleep(untilUnlocked: print)
    }
  }

  private func end(
    _ key: Key, _ print: Print, at place: Table.Place, _ prior: ValueWord, _ holding: Holding,
    with new: ValueWord
  ) {
    if new == .absent && !place.hasKey { return unlock(holding.probe.bucket, holding.state) }
    // The pin keeps the table when the lock does so no more.
    domain.pin {
      put(new, for: prior, key, print, at: place, holding)
      Coding.retire(prior, in: domain)
    }
  }
}
