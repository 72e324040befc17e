import BenchmarkCommands
import Measurements
import SeededTesting
import TerminalIO
import Testing
import Workloads

@testable import benchlab

/// Verdicts on sessions whose truth is known.
///
/// There are 2,000 comparisons with `WEAK_COLLECTIONS_FULL=1`, and otherwise 200.
@Suite struct VerdictSimulationTests {
  private static let comparisons = TestOptions.simulations(full: 2000)

  /// The greatest number of false verdicts: 1 of 20. A rule whose verdicts are false with a
  /// probability of 2.5 % has as many as 18 of 200 by chance.
  private static let mostFalse = max(comparisons / 20, Binomial.most(of: comparisons, at: 0.025))

  private func machine(hasOutliers: Bool = false) -> SimulatedMachine {
    var machine = SimulatedMachine(seed: Seed(TestOptions.seed % (1 << 53))!)
    machine.hasOutliers = hasOutliers
    return machine
  }

  /// Returns how often a series that is slower by `difference` gets each verdict.
  private func counts(
    ofDifference difference: Double, sessions: Int, hasOutliers: Bool = false
  ) -> [Verdict: Int] {
    var machine = machine(hasOutliers: hasOutliers)
    return Self.counts(
      VerdictPower.shares(
        ofDifference: difference, sessions: sessions, by: &machine, comparisons: Self.comparisons))
  }

  private static func counts(_ shares: [Verdict: Double]) -> [Verdict: Int] {
    shares.mapValues { Int(($0 * Double(comparisons)).rounded()) }
  }

  @Test(arguments: [2, 3, 5, 10], [false, true])
  func `equal code is called faster in at most 1 of 20, and slower no more often`(
    _ sessions: Int, _ hasOutliers: Bool
  ) {
    let counts = counts(ofDifference: 0, sessions: sessions, hasOutliers: hasOutliers)
    for verdict in [Verdict.faster, .slower] {
      #expect(
        counts[verdict, default: 0] <= Self.mostFalse, "\(counts), seed \(TestOptions.seed)")
    }
  }

  @Test(arguments: [3, 5, 10])
  func `a difference of exactly the margin is called equivalent in at most 1 of 20`(
    _ sessions: Int
  ) {
    let counts = counts(ofDifference: 0.05, sessions: sessions)
    #expect(
      counts[.equivalent, default: 0] <= Self.mostFalse, "\(counts), seed \(TestOptions.seed)")
  }

  @Test func `a difference of a fifth is found with five sessions, and never turned round`() {
    let counts = counts(ofDifference: 0.2, sessions: 5)
    #expect(
      counts[.slower, default: 0] >= Self.comparisons * 4 / 5,
      "\(counts), seed \(TestOptions.seed)")
    #expect(counts[.faster, default: 0] + counts[.equivalent, default: 0] <= Self.comparisons / 200)
  }

  @Test func `of four equal contestants one wins in at most 1 of 20`() {
    var machine = machine()
    let wins = (0..<Self.comparisons).count { _ in
      let sides = machine.measure([100, 100, 100, 100], sessions: 4)
      if case .won = Contest(sides.enumerated().map { ($0.offset, $0.element) }).outcome {
        return true
      }
      return false
    }
    #expect(wins <= Self.mostFalse, "\(wins), seed \(TestOptions.seed)")
  }

  @Test(arguments: VerdictPower.noises)
  func `stopping early is seldom wrong, and hardly moves the estimate`(_ noise: Double) {
    for difference in [0, 0.1] {
      let (shares, sessions, estimate) = VerdictPower.stopping(
        atDifference: difference, noise: noise, seed: Seed(TestOptions.seed % (1 << 53))!,
        comparisons: Self.comparisons)
      let counts = Self.counts(shares)
      #expect(
        counts[.faster, default: 0] <= Self.mostFalse, "\(counts), seed \(TestOptions.seed)")
      #expect(difference > 0 || counts[.slower, default: 0] <= Self.mostFalse)
      #expect(abs(estimate - 1) < 0.02, "\(estimate), seed \(TestOptions.seed)")
      #expect(sessions < Double(VerdictPower.mostSessions))
    }
  }

  @Test func `more sessions find more, and the table has a line for each case`() {
    func found(_ sessions: Int) -> Int {
      counts(ofDifference: 0.1, sessions: sessions)[.slower, default: 0]
    }
    #expect(found(10) > found(3))
    let table = VerdictPower.table(seed: .fixed, comparisons: 1)
    #expect(table.lines.count == 1 + VerdictPower.noises.count * VerdictPower.sessions.count)
  }
}
