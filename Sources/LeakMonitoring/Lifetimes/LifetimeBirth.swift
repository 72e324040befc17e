/// What a token knows of the birth it noted.
struct LifetimeBirth: Sendable {
  let counter: LifetimeCounter
  /// The number of the last snapshot before it.
  let generation: Int
  /// The number of its record; nil if it has none.
  let record: Int?

  /// To be called once.
  func noteDeath() {
    // First, so that no report lists what no longer counts.
    if let record { counter.records.remove(record) }
    counter.addDeath(generation: generation)
  }
}
