import Primitives

// What arrives is counted before it does, and what leaves afterwards. The counts are then never less than
// what is there, whichever threads are stopped; if they were, others would replace a table again and again
// by one that is too small for what must be moved to it.
extension LockFreeDictionary {
  public var count: Int { max(0, live.total) }

  /// At least as many values and claims as there are to be moved to a next table.
  var occupancy: Int {
    // Relaxed: a count, through which nothing else is read.
    max(0, live.total + claimsOfAbsent.load(ordering: .relaxed))
  }

  /// Counts `new`, which is about to take the place of `old`.
  @inline(never)
  func countArrival(of new: ValueWord, for old: ValueWord) {
    if new.isValue && !old.isValue && !Defect.countedTooLate.isPlanted { live.add(1) }
    // Relaxed, here and below, as in `occupancy`.
    if new.claimsAbsent { claimsOfAbsent.wrappingAdd(1, ordering: .relaxed) }
  }

  /// Stops to count `old`, in whose place is `new`; returns what `live` returns if that became less.
  @inline(never) @discardableResult
  func countDeparture(of old: ValueWord, for new: ValueWord) -> Int? {
    if new.isValue && !old.isValue && Defect.countedTooLate.isPlanted { live.add(1) }
    if old.claimsAbsent { claimsOfAbsent.wrappingSubtract(1, ordering: .relaxed) }
    guard old.isValue && !new.isValue && !Defect.countNeverFalls.isPlanted else { return nil }
    return live.add(-1)
  }
}

extension ValueWord {
  /// Whether readers see a value. Of a claim, only its own thread may ask.
  var isValue: Bool { seen.isInline || seen.isBoxed }

  /// Whether it is the claim of a key without a value. Only its own thread may ask.
  fileprivate var claimsAbsent: Bool { isClaimed && !isValue }

  /// Whether it is a claim, frozen or not.
  var holdsClaim: Bool { isClaimed || kind == .frozen && kept.isClaimed }
}
