import EpochReclamation
import Primitives

extension LockFreeDictionary {
  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    Exclusion.checkNotHeld(self)
    let print = Print(key)
    var old: Value?
    var new: Value?
    // Held from before the claim, so that no reclaimer runs while this thread has one.
    let result = Exclusion.hold(self) {
      let claim = claim(key, print)
      // The claim owns the word, so that no pin is needed.
      old = Coding.copy(claim.pointee.prior)
      new = old
      if Defect.bodyRunsTwice.isPlanted { _ = Result { () throws(F) in try body(&new) } }
      let result = Result { () throws(F) in try body(&new) }
      if case .success = result {
        end(claim, of: key, print, with: new.map { Coding.encode($0) } ?? .absent)
      } else {
        end(claim, of: key, print, with: nil)
      }
      return result
    }
    return try withExtendedLifetime((old, new)) { () throws(F) in try result.get() }
  }

  /// Marks `key` as ours to change.
  private func claim(_ key: Key, _ print: Print) -> UnsafeMutablePointer<Claim> {
    let claim = Claim.make()
    let word = ValueWord(.claimed, claim)
    change(
      key, print,
      { present in
        claim.writing().pointee.prior = present
        return word
      }, finish: { _ in })
    return claim
  }

  /// Puts `new` in the place of the claim, wherever it was moved to; nil stands for what was there before.
  private func end(
    _ claim: UnsafeMutablePointer<Claim>, of key: Key, _ print: Print, with new: ValueWord?
  ) {
    let word = ValueWord(.claimed, claim)
    let prior = claim.reading().pointee.prior
    change(key, print, mine: word, { _ in new ?? prior }) { _ in
      if new != nil { Coding.retire(prior, in: domain) }
      domain.retire(claim, as: Claim.self)
    }
    endedClaims.signal()
  }
}

extension Claim: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    NodeMemory.deallocate(pointer)
  }
}
