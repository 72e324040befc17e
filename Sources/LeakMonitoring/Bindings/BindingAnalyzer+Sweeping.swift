import WeakCollections

// Sweeping moves finished bindings from the dictionaries to the history, which counts them.
//
// An unbinding in a `deinit` comes when its object is already dead. So a dead pair that is still
// bound is not finished: one sweep marks it, and a later sweep removes it. The same holds for a
// dead long-lived object, whose unbinding is an error. The rules below state how much time that
// leaves a `deinit`.
//
//  1. Sweeps do not overlap: a sweep that becomes due during another is skipped. If two overlapped,
//     both could find a pair dead, and one could remove it just after the other marked it. The
//     unbinding for which the mark waits would then find no pair, and count as unmatched.
//  2. So a sweep finds only marks of a sweep that ended before it began, and there were at least
//     `leastInterval` registrations between the two. The count of registrations starts at the end
//     of a sweep, and the registration that makes the next sweep due begins it in the same critical
//     section.
//  3. So an unbinding counts as unmatched, and its pair as abandoned, only if all of this happened
//     during the `deinit`, before the unbinding: a sweep ended, that many registrations were made,
//     and another sweep began.
//
// The sweep checks whether an object is alive outside all locks, because the check may promote the
// object and release it, and its `deinit` may run then. Dead objects stay dead. A sweep marks or
// removes a pair inside the critical section of its key, and finds it by the identity of its
// `LifeSign`: a pair that reuses the addresses has another one.

extension BindingAnalyzer {
  /// Sweeps even if no sweep is due, unless another sweep is running. For tests.
  ///
  /// - Parameter midway: Runs after the sweep has found the dead pairs, before it removes any.
  func sweep(midway: () -> Void = {}) {
    if let sweep = history.write({ $0.beginSweep() }) { run(sweep, midway: midway) }
  }

  /// Moves finished pairs to the history.
  func run(_ sweep: BindingHistory.Sweep, midway: () -> Void = {}) {
    var kept = 0
    var dead: [(BindingPair.Key, [BindingPair])] = []
    for (key, pairs) in pairs.snapshot {
      let found = pairs.filter(\.isDead)
      kept += pairs.count - found.count
      if !found.isEmpty { dead.append((key, found)) }
    }
    midway()
    for (key, found) in dead {
      let records = takeOut(found, of: key).map(\.record)
      history.write { $0.add(records, of: sweep) }
    }
    kept += sweepLongLived()
    history.write { $0.endSweep(kept: kept) }
  }

  /// Removes and returns the finished pairs of `dead`, and marks the others.
  private func takeOut(_ dead: [BindingPair], of key: BindingPair.Key) -> [BindingPair] {
    let identities = Set(dead.map(\.identity))
    return pairs.update(key) { pairs in
      // `removeAll` may have removed the pairs.
      guard var kept = pairs else { return [] }
      let over = kept.filter { identities.contains($0.identity) && $0.isOver }
      kept.removeAll { identities.contains($0.identity) && $0.isOver }
      for index in kept.indices where identities.contains(kept[index].identity) {
        kept[index].wasFoundDead = true
      }
      pairs = kept.isEmpty ? nil : kept
      return over
    }
  }

  /// Removes dead long-lived objects; returns the number of live ones.
  private func sweepLongLived() -> Int {
    var kept = 0
    for (identifier, entry) in longLived.snapshot {
      if entry.life.isAlive {
        kept += 1
        continue
      }
      longLived.update(identifier) { current in
        guard current?.life === entry.life else { return }
        if current!.wasFoundDead { current = nil } else { current!.wasFoundDead = true }
      }
    }
    return kept
  }
}

extension BindingPair {
  /// Identifies the pair while a copy of it exists.
  fileprivate var identity: ObjectIdentifier { ObjectIdentifier(viewModel.life) }

  /// Whether a dead pair is finished: no unbinding of it can still come.
  fileprivate var isOver: Bool { !isBound || wasFoundDead }
}

/// The counts of finished bindings, and the schedule of sweeps.
struct BindingHistory: Sendable {
  /// A running sweep.
  struct Sweep: Sendable {
    fileprivate let clearings: Int
  }

  static let leastInterval = 64

  private(set) var counts: [BindingRecord: Int] = [:]
  private var isSweeping = false
  /// The number of registrations since the end of the last sweep.
  private var registrations = 0
  /// The number of registrations after which the next sweep is due.
  private var isDueAfter = BindingHistory.leastInterval
  private var clearings = 0

  /// Counts a registration; begins and returns a sweep if one is due.
  ///
  /// Both in one critical section: otherwise another sweep could begin and end in between.
  mutating func noteRegistration() -> Sweep? {
    registrations += 1
    return registrations >= isDueAfter ? beginSweep() : nil
  }

  /// Begins and returns a sweep; returns nil while another one runs.
  mutating func beginSweep() -> Sweep? {
    guard !isSweeping else { return nil }
    isSweeping = true
    return Sweep(clearings: clearings)
  }

  /// Counts the bindings that a sweep removed, unless `clear` ran after the sweep began.
  mutating func add(_ records: [BindingRecord], of sweep: Sweep) {
    guard sweep.clearings == clearings else { return }
    for record in records { add(record) }
  }

  mutating func add(_ record: BindingRecord) { counts[record, default: 0] += 1 }

  /// Ends a sweep that kept `kept` entries.
  ///
  /// The next sweep is due after as many registrations, so that the cost of sweeps per registration
  /// is constant.
  mutating func endSweep(kept: Int) {
    isSweeping = false
    registrations = 0
    isDueAfter = max(Self.leastInterval, kept)
  }

  mutating func clear() {
    counts = [:]
    clearings += 1
  }
}
