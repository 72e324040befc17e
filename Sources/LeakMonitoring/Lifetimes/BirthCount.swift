import Primitives

/// How many were born and how many died.
struct BirthCount: ~Copyable, Sendable {
  private let births = Atomic<Int>(0)
  private let deaths = Atomic<Int>(0)

  /// Returns the number of the birth, from 1, and how many live then, itself included; fewer by those that
  /// were born and died during the call.
  func addBirth() -> (number: Int, liveCount: Int) {
    // Relaxed, both: the counts order nothing else. The additions to one variable have one order; deaths
    // that are not seen yet only make the number greater, as if they came later.
    let number = births.wrappingAdd(1, ordering: .relaxed).newValue
    return (number, number - deaths.load(ordering: .relaxed))
  }

  func addDeath() {
    // Releasing; pairs with `liveCount`, so that who sees the death sees the birth.
    deaths.wrappingAdd(1, ordering: .releasing)
  }

  /// How many were born.
  // Relaxed: a figure for people.
  var total: Int { births.load(ordering: .relaxed) }

  /// Exact while nothing is born or dies.
  var liveCount: Int {
    // Deaths first and acquiring; pairs with `addDeath`: the births of the dead that are counted are
    // counted too, so that the difference is not negative. Births may be relaxed: later ones add to it.
    let dead = deaths.load(ordering: .acquiring)
    return births.load(ordering: .relaxed) - dead
  }
}
