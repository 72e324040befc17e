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

  /// As many as lived at one moment of the call, unless something died at each of many looks; then no fewer
  /// than 0 and no more than lived at one moment.
  var liveCount: Int {
    // Acquiring; pairs with `addDeath`: the births of the dead that are counted are counted too.
    var dead = deaths.load(ordering: .acquiring)
    for _ in 0..<8 {
      // Acquiring, so that the deaths below are read after it: none between means that both are of one moment.
      let born = births.load(ordering: .acquiring)
      let deadNow = deaths.load(ordering: .acquiring)
      if deadNow == dead { return born - dead }
      dead = deadNow
    }
    // Births first: of what was born meanwhile and died, only the death counts.
    let born = births.load(ordering: .acquiring)
    return max(0, born - deaths.load(ordering: .acquiring))
  }
}
