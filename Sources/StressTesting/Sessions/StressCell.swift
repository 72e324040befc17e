/// One subject under one driver: tries scenario after scenario.
package protocol StressCell: Sendable {
  var subject: Subject { get }
  var driver: StressDriver { get }
  /// Told what is about to run, by what repeats it.
  var announce: @Sendable (ReplayString) -> Void { get set }
  /// Draws a scenario, runs it and checks what came of it; makes what is wrong small.
  mutating func tryNext() async -> StressResult
}

/// What came of one scenario.
package struct StressResult: Sendable {
  package var tally = StressTally()
  package var finding: Finding?
}
