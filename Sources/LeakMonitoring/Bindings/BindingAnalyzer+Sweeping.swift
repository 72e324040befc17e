import WeakCollections

// Sweeping moves finished bindings from the dictionaries to the history, which counts them.
//
// A `deinit` may register an unbinding, at a time when weak references already show its object as
// dead. So a pair that is dead but still bound is not finished: one sweep marks it, and a later
// sweep removes it. The same holds for a dead long-lived object, because its `deinit` may still
// make the error of unbinding it. The rules below state how long a `deinit` may delay its
// unbinding.
//
//  1. Sweeps do not overlap: a sweep that becomes due during another is skipped. If two overlapped,
//     both could find a pair dead, and one could remove it just after the other marked it. The mark
//     is there to wait for an unbinding, which would then find no pair and count as unmatched.
//  2. So a sweep finds only marks of earlier sweeps that had ended before it began, with at least
//     `leastInterval` registrations between the two. The reason is that the count of registrations
//     restarts at the end of a sweep, and that the registration that makes the next sweep due
//     begins that sweep in the same critical section.
//  3. So an unbinding counts as unmatched, and its pair as abandoned, only if three things happened
//     in this order while the `deinit` had not yet registered the unbinding: a sweep ended,
//     `leastInterval` registrations were made, and another sweep began.
//
// A sweep checks outside all locks whether an object is alive: the check may promote the object and
// release it, which may run its `deinit`. The answer "dead" stays true, because dead objects stay
// dead. The sweep then marks or removes a pair inside the critical section of the pair's key. It
// finds the pair by the identity of its `LifeSign`, because another pair may reuse the addresses of
// the objects, but has a `LifeSign` of its own.

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
  /// The identity of the pair, which is valid while a copy of the pair exists.
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
  /// Both happen in one critical section: otherwise another sweep could begin and end in between.
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
  /// The next sweep is due after `kept` registrations, but at least `leastInterval`, so that the
  /// cost of sweeps per registration is constant.
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
