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
struct Census: Sendable {
  /// The counts of one worker's members; they live as long as the last of them.
  final class Tally: Sendable {
    private let births = Atomic<Int>(0)
    private let deaths = Atomic<Int>(0)
    // Keeps the next tally off these cache lines.
    private let padding: InlinePadding = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    private typealias InlinePadding = (
      Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int
    )

    // Relaxed, all: counts, read when the workers have been joined.
    func noteBirth() { births.wrappingAdd(1, ordering: .relaxed) }
    func noteDeath() { deaths.wrappingAdd(1, ordering: .relaxed) }
    var counts: (births: Int, deaths: Int) {
      (births.load(ordering: .relaxed), deaths.load(ordering: .relaxed))
    }
  }

  let tallies: [Tally]

  init(workers: Int) {
    tallies = (0..<workers).map { _ in Tally() }
  }

  var births: Int { tallies.reduce(0) { $0 + $1.counts.births } }
  var deaths: Int { tallies.reduce(0) { $0 + $1.counts.deaths } }
}
