import WeakCollections

// Sweeping: what is over leaves the dictionaries, and pairs are counted in the history.
//
// An unbinding in a `deinit` comes when its object is dead already. So a pair that is dead and still bound is not
// over yet: a sweep marks it, and a later one takes it out. The same holds for a long-lived object that
// died, to unbind which is an error. How long has the `deinit`?
//
//  1. Sweeps exclude one another: one that is due while another is under way is left out. If two
//     overlapped, the one might take out what the other had marked a moment ago, both having found it
//     dead before: the unbinding that the mark waits for would find nothing, and be called unmatched.
//  2. So a mark that a sweep finds was made by one that ended before this one began; and between the two there
//     were `leastInterval` registrations at least: they are counted from the end of a sweep, and the one that
//     makes the next sweep due begins it in the same exclusion.
//  3. So an unbinding is called unmatched, and its pair abandoned, only if while its `deinit` ran before it
//     a sweep ended, that many registrations were made and another began.
//
// Whether something lives is asked outside all exclusions: what has to be promoted for it is released then, where
// a `deinit` may run. What is dead stays so. A mark is set, and a pair taken out, inside the key's exclusion, by
// the identity of its life sign: what came to the same address meanwhile is another.

extension BindingAnalyzer {
  /// Sweeps whether that is due or not, but not while another sweep does; for tests.
  ///
  /// - Parameter midway: runs when it has found what is dead, and taken none of it out.
  func sweep(midway: () -> Void = {}) {
    if let sweep = history.write({ $0.beginSweep() }) { run(sweep, midway: midway) }
  }

  /// Moves what is over to the history, which holds it as counts.
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

  /// Takes those of the dead pairs out that no unbinding is waited for, and marks the others.
  private func takeOut(_ dead: [BindingPair], of key: BindingPair.Key) -> [BindingPair] {
    let identities = Set(dead.map(\.identity))
    return pairs.update(key) { pairs in
      // Those that `removeAll` forgot are not there.
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

  /// Returns how many live.
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
  /// Tells it from all others while one of its copies is held.
  fileprivate var identity: ObjectIdentifier { ObjectIdentifier(viewModel.life) }

  /// Of a pair that is dead: whether no unbinding is waited for.
  fileprivate var isOver: Bool { !isBound || wasFoundDead }
}

/// What became of bindings that are over, and when it is looked for more of them.
struct BindingHistory: Sendable {
  /// A sweep that is under way.
  struct Sweep: Sendable {
    fileprivate let clearings: Int
  }

  static let leastInterval = 64

  private(set) var counts: [BindingRecord: Int] = [:]
  private var isSweeping = false
  /// Since the last sweep ended.
  private var registrations = 0
  /// How many registrations until the next sweep.
  private var isDueAfter = BindingHistory.leastInterval
  private var clearings = 0

  /// Counts a registration; begins the sweep that is due, if one is.
  ///
  /// Both at once: were it decided and begun apart, another sweep could begin and end between the two.
  mutating func noteRegistration() -> Sweep? {
    registrations += 1
    return registrations >= isDueAfter ? beginSweep() : nil
  }

  /// Nil while another one is under way.
  mutating func beginSweep() -> Sweep? {
    guard !isSweeping else { return nil }
    isSweeping = true
    return Sweep(clearings: clearings)
  }

  /// Adds what a sweep took out, unless all that was then has been forgotten meanwhile.
  mutating func add(_ records: [BindingRecord], of sweep: Sweep) {
    guard sweep.clearings == clearings else { return }
    for record in records { add(record) }
  }

  mutating func add(_ record: BindingRecord) { counts[record, default: 0] += 1 }

  /// The next is due after as many registrations as were kept, so that sweeps cost each the same, however
  /// many are kept.
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
