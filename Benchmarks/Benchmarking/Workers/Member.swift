import Primitives

/// The element of the weak arrays that are timed: an object that knows whether it lives and is counted
/// when it dies.
final class Member: Sendable {
  private let life = Atomic<UInt32>(Member.alive)
  private let census: Census.Tally

  private static let alive: UInt32 = 0xA11F_E000

  init(_ census: Census.Tally) {
    self.census = census
    census.noteBirth()
  }

  deinit {
    // Relaxed: a canary for whoever should not be able to look at all.
    life.store(0, ordering: .relaxed)
    census.noteDeath()
  }

  /// Whether this object's `deinit` has not begun; what a delegate's method does in the workloads.
  @inline(never)
  func isAlive() -> Bool {
    life.load(ordering: .relaxed) == Self.alive  // Relaxed, as above.
  }
}

/// Counts the members made and died, each worker's apart so that counting makes no contention.
final class Census: Sendable {
  /// The counts of one worker's members, alone on their cache lines.
  struct Tally: Sendable {
    fileprivate struct Counts: ~Copyable {
      let births = Atomic<Int>(0)
      let deaths = Atomic<Int>(0)
    }

    // @unchecked by this: the counts are atomic, and the census outlives its members.
    fileprivate nonisolated(unsafe) let counts: UnsafeMutablePointer<Counts>

    // Relaxed, both: counts, read when the workers have been joined.
    func noteBirth() { counts.pointee.births.wrappingAdd(1, ordering: .relaxed) }
    func noteDeath() { counts.pointee.deaths.wrappingAdd(1, ordering: .relaxed) }
  }

  let tallies: [Tally]

  init(workers: Int) {
    tallies = (0..<workers).map { _ in
      let counts = NodeMemory.allocateApart(byteCount: NodeMemory.destructiveInterference)
        .bindMemory(to: Tally.Counts.self, capacity: 1)
      counts.initialize(to: Tally.Counts())
      return Tally(counts: counts)
    }
  }

  deinit {
    for tally in tallies { NodeMemory.deallocate(tally.counts) }
  }

  var births: Int {
    tallies.reduce(0) { $0 + $1.counts.pointee.births.load(ordering: .relaxed) }
  }

  var deaths: Int {
    tallies.reduce(0) { $0 + $1.counts.pointee.deaths.load(ordering: .relaxed) }
  }
}
