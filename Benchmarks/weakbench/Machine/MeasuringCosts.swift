import Benchmarking

/// What measuring itself costs here.
struct MeasuringCosts: Sendable {
  let clockNanoseconds: Double
  let clockStepNanoseconds: Double?
  let harness: HarnessCost

  /// Takes about a third of a second.
  static func measure() async -> MeasuringCosts {
    MeasuringCosts(
      clockNanoseconds: Benchmarking.Clock.costNanoseconds,
      clockStepNanoseconds: Benchmarking.Clock.stepNanoseconds,
      harness: await HarnessCost.measure())
  }
}
