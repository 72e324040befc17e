import Primitives

/// Counts objects that are made and that die.
///
/// Each worker may have a tally of its own, so that counting makes no contention.
package struct Census: Sendable {
  /// The counts of one worker's objects; they live as long as the last of them.
  package final class Tally: Sendable {
    private let births = Atomic<Int>(0)
    private let deaths = Atomic<Int>(0)
    // Keeps the next tally off these cache lines.
    private let padding: InlinePadding = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    private typealias InlinePadding = (
      Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int
    )

    fileprivate init() {}

    // Relaxed, all: counts, through which nothing else is read; exact once the threads are joined.
    package func noteBirth() { births.wrappingAdd(1, ordering: .relaxed) }
    package func noteDeath() { deaths.wrappingAdd(1, ordering: .relaxed) }
    package var live: Int { birthCount - deathCount }
    fileprivate var birthCount: Int { births.load(ordering: .relaxed) }
    fileprivate var deathCount: Int { deaths.load(ordering: .relaxed) }
  }

  package let tallies: [Tally]

  package init(workers: Int = 1) {
    precondition(workers > 0, "a census has at least one tally")
    tallies = (0..<workers).map { _ in Tally() }
  }

  package var births: Int { tallies.reduce(0) { $0 + $1.birthCount } }
  package var deaths: Int { tallies.reduce(0) { $0 + $1.deathCount } }
  package var live: Int { births - deaths }
}

/// An object that a census counts.
package final class Counted: Sendable {
  package let number: Int
  private let tally: Census.Tally

  package init(_ number: Int = 0, in tally: Census.Tally) {
    self.number = number
    self.tally = tally
    tally.noteBirth()
  }

  /// Counted in the first tally.
  package convenience init(_ number: Int = 0, in census: Census) {
    self.init(number, in: census.tallies[0])
  }

  deinit { tally.noteDeath() }
}

/// An object that does something as it dies.
package final class Dying: Sendable {
  private let lastWords: @Sendable () -> Void

  package init(_ lastWords: @escaping @Sendable () -> Void) {
    self.lastWords = lastWords
  }

  deinit { lastWords() }
}
