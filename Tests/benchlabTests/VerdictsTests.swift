import ArgumentParser
import Benchmarking
import Measurements
import Testing
import Workloads

@testable import benchlab

@Suite struct VerdictsTests {
  /// A judgment on sessions whose ratios are these.
  private func judgment(_ ratios: [Double]) -> Judgment {
    func values(_ times: [Double]) -> SessionValues {
      SessionValues(
        times.enumerated().map {
          (Measurement.Session(run: "verdicts", number: $0.offset), $0.element)
        }
      )!
    }
    return VerdictRule().judgment(on: values(ratios), over: values(ratios.map { _ in 1 }))
  }

  @Test func `one in twenty may be otherwise, but no slowdown may be equivalent or faster`() {
    let (equal, slower, faster) = (
      judgment([1, 1.01, 0.99]), judgment([1.1, 1.11, 1.12]), judgment([0.9, 0.91, 0.89])
    )
    let undecided = judgment([0.8, 1, 1.3])
    var tally = VerdictsTally()
    tally.equal = (1...20).map { $0 == 1 ? slower : equal }
    tally.slowed = (1...20).map { $0 == 1 ? undecided : slower }
    #expect(tally.holds)
    #expect(
      tally.text.contains("equal code: 0 faster, 1 slower, 19 equivalent, 0 undecided of 20"))
    #expect(
      tally.text.contains("slower by 10 %: 0 faster, 19 slower, 0 equivalent, 1 undecided of 20"))
    for other in [equal, faster] {
      var bad = tally
      bad.slowed[0] = other
      #expect(!bad.holds)
    }
    var eager = tally
    eager.equal[1] = faster
    #expect(!eager.holds)
  }

  @Test func `in a session both sides take turns, and take turns at being first`() throws {
    let plan = try VerdictsPlan(VerdictsCommand.parse(["--quick"]), drawnSeed: Seed(5)!)
    let trials = plan.trials(
      of: [.slowed(byPercent: 0), .slowed(byPercent: 10)], run: 1, session: 3)
    #expect(Set(trials.map(\.specification.session)) == [4])
    let slowed = trials.map { $0.specification.contestant.name == "mutex-plus-10" }
    #expect(slowed == trials.map { $0.side == 1 })
    #expect(slowed == [true, false, false, true, true, false, false, true])
    #expect(plan.runs == 2)
  }
}
