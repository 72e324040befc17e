import BenchmarkCommands
import Measurements
import SeededTesting
import TerminalIO
import Testing
import Workloads

@testable import benchlab

/// Verdicts on sessions whose truth is known.
@Suite struct VerdictSimulationTests {
  private static let comparisons = 2000

  private func machine(hasOutliers: Bool = false) -> SimulatedMachine {
    var machine = SimulatedMachine(seed: Seed(TestOptions.seed % (1 << 53))!)
    machine.hasOutliers = hasOutliers
    return machine
  }

  private func shares(
    ofDifference difference: Double, sessions: Int, hasOutliers: Bool = false
  ) -> [Verdict: Double] {
    var machine = machine(hasOutliers: hasOutliers)
    return VerdictPower.shares(
      ofDifference: difference, sessions: sessions, by: &machine, comparisons: Self.comparisons)
  }

  @Test(arguments: [2, 3, 5, 10], [false, true])
  func `equal code is called faster in at most 1 of 20, and slower no more often`(
    _ sessions: Int, _ hasOutliers: Bool
  ) {
    let shares = shares(ofDifference: 0, sessions: sessions, hasOutliers: hasOutliers)
    for verdict in [Verdict.faster, .slower] {
      #expect(shares[verdict, default: 0] <= 0.05, "\(shares), seed \(TestOptions.seed)")
    }
  }

  @Test(arguments: [3, 5, 10])
  func `a difference of exactly the margin is called equivalent in at most 1 of 20`(
    _ sessions: Int
  ) {
    let shares = shares(ofDifference: 0.05, sessions: sessions)
    #expect(shares[.equivalent, default: 0] <= 0.05, "\(shares), seed \(TestOptions.seed)")
  }

  @Test func `a difference of a fifth is found with five sessions, and never turned round`() {
    let shares = shares(ofDifference: 0.2, sessions: 5)
    #expect(shares[.slower, default: 0] >= 0.8, "\(shares), seed \(TestOptions.seed)")
    #expect(shares[.faster, default: 0] + shares[.equivalent, default: 0] <= 0.005)
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
    #expect(wins <= Self.comparisons / 20, "\(wins), seed \(TestOptions.seed)")
  }

  @Test(arguments: VerdictPower.noises)
  func `stopping early is seldom wrong, and hardly moves the estimate`(_ noise: Double) {
    for difference in [0, 0.1] {
      let (shares, sessions, estimate) = VerdictPower.stopping(
        atDifference: difference, noise: noise, seed: Seed(TestOptions.seed % (1 << 53))!,
        comparisons: Self.comparisons)
      #expect(shares[.faster, default: 0] <= 0.05, "\(shares), seed \(TestOptions.seed)")
      #expect(difference > 0 || shares[.slower, default: 0] <= 0.05)
      #expect(abs(estimate - 1) < 0.02, "\(estimate), seed \(TestOptions.seed)")
      #expect(sessions < Double(VerdictPower.mostSessions))
    }
  }

  @Test func `more sessions find more, and the table has a line for each case`() {
    func found(_ sessions: Int) -> Double {
      shares(ofDifference: 0.1, sessions: sessions)[.slower, default: 0]
    }
    #expect(found(10) > found(3))
    let table = VerdictPower.table(seed: .fixed)
    #expect(table.lines.count == 1 + VerdictPower.noises.count * VerdictPower.sessions.count)
  }
}
