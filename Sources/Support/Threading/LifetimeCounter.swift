import Primitives

/// A lifetime counter: counts the births and the deaths of objects.
///
/// Each worker can have a tally of its own, so that counting causes no contention.
package struct LifetimeCounter: Sendable {
  /// The counts of one worker's objects. The last of these objects keeps its tally alive.
  package final class Tally: Sendable {
    private let births = Atomic<Int>(0)
    private let deaths = Atomic<Int>(0)
    // Keeps other tallies off these cache lines.
    private let padding: InlinePadding = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    private typealias InlinePadding = (
      Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int
    )

    fileprivate init() {}

    // Relaxed, all four: no thread reads other memory because of a count. The counts are exact once
    // the threads are joined.

    /// Counts the birth of an object.
    package func noteBirth() { births.wrappingAdd(1, ordering: .relaxed) }
    /// Counts the death of an object.
    package func noteDeath() { deaths.wrappingAdd(1, ordering: .relaxed) }
    /// The number of objects that were born and have not died.
    package var live: Int { birthCount - deathCount }
    fileprivate var birthCount: Int { births.load(ordering: .relaxed) }
    fileprivate var deathCount: Int { deaths.load(ordering: .relaxed) }
  }

  package let tallies: [Tally]

  /// Creates a counter with one tally for each worker.
  ///
  /// - Precondition: `workers` is positive.
  package init(workers: Int = 1) {
    guard workers > 0 else { fatalError("workers must be positive, got \(workers)") }
    tallies = (0..<workers).map { _ in Tally() }
  }

  /// The number of births in all tallies.
  package var births: Int { tallies.reduce(0) { $0 + $1.birthCount } }
  /// The number of deaths in all tallies.
  package var deaths: Int { tallies.reduce(0) { $0 + $1.deathCount } }
  /// The number of live objects in all tallies.
  package var live: Int { births - deaths }
}

/// A counter that many threads raise.
package final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  package init() {}

  // Relaxed, both: no thread reads other memory because of a count.

  /// Adds 1.
  package func add() { value.wrappingAdd(1, ordering: .relaxed) }
  /// How often `add` was called; exact once the threads are joined.
  package var total: Int { value.load(ordering: .relaxed) }
}

/// An object whose birth and death a `LifetimeCounter` counts.
package final class Counted: Sendable {
  package let number: Int
  private let tally: LifetimeCounter.Tally

  package init(_ number: Int = 0, in tally: LifetimeCounter.Tally) {
    self.number = number
    self.tally = tally
    tally.noteBirth()
  }

  /// Creates an object that the first tally of `lifetimes` counts.
  package convenience init(_ number: Int = 0, in lifetimes: LifetimeCounter) {
    self.init(number, in: lifetimes.tallies[0])
  }

  deinit { tally.noteDeath() }
}

/// An object that runs a closure in its `deinit`.
package final class Dying: Sendable {
  private let lastWords: @Sendable () -> Void

  package init(_ lastWords: @escaping @Sendable () -> Void) {
    self.lastWords = lastWords
  }

  deinit { lastWords() }
}
