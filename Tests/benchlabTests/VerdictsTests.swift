import ArgumentParser
import Benchmarking
import Reporting
import Testing
import Workloads

@testable import benchlab

@Suite struct VerdictsTests {
  private func outcome(_ verdict: Verdict, _ ratio: Double) -> VerdictsOutcome {
    VerdictsOutcome(
      verdict: verdict, ratio: ratio, interval: 0.9...1.2, noiseFloor: 0.05, processes: 10)
  }

  @Test func `one in twenty may be otherwise, but no slowdown may be the same or better`() {
    var tally = VerdictsTally(slowdownPercent: 10)
    tally.equal = (1...20).map { outcome(.same, $0 == 1 ? 1.06 : 0.99) }
    tally.slowed = (1...20).map { outcome($0 == 1 ? .undecided : .worse, 1.1) }
    #expect(tally.holds)
    #expect(tally.text.contains("19 of 20 ratios are 1.00 within the noise floor, 0 called"))
    #expect(tally.text.contains("slower by 10 %: 19 of 20 worse, 1 undecided, 0 same, 0 better"))
    for verdict in [Verdict.same, .better] {
      var bad = tally
      bad.slowed[0].verdict = verdict
      #expect(!bad.holds)
    }
    var noisy = tally
    noisy.equal[1].ratio = 0.9
    #expect(!noisy.holds)
    var eager = tally
    eager.equal[0].verdict = .worse
    eager.equal[1].verdict = .better
    #expect(!eager.holds)
  }

  @Test func `a pair of processes makes trials of both sides by turns`() throws {
    let plan = try VerdictsPlan(VerdictsCommand.parse(["--quick"]), drawnSeed: Seed(5)!)
    let trials = plan.trials(
      of: [.slowed(byPercent: 0), .slowed(byPercent: 10)], run: 1, pair: 3)
    #expect(trials.map(\.fork).sorted() == [7, 7, 8, 8])
    #expect(trials[0].fork != trials[1].fork && trials[1].fork == trials[2].fork)
    #expect(trials.filter { $0.fork == 8 }.allSatisfy { $0.contestant.name == "mutex-plus-10" })
    #expect(plan.runs == 2)
  }
}
