import TerminalIO
import BenchmarkCommands
import ArgumentParser
import Benchmarking
import Charts
import Measurements
import Reporting
import Testing
import Workloads

@testable import benchlab

struct LimitsTests {
  private let ours = Figure("dictionary", "lock-free", "read-only")
  private let theirs = Figure("dictionary", "tbb", "read-only")
  private let bytes = Figure("bytes", "lock-free", "per live element")

  private func report(
    _ values: [Figure: [Double]], format: LimitsReport.Format = .text, isQuick: Bool = false
  ) -> LimitsReport {
    var trials = FigureTrials()
    for (figure, values) in values { values.forEach { trials.add($0, to: figure) } }
    return LimitsReport(
      format: format, isQuick: isQuick, seconds: 0.4, seed: Seed(1)!,
      environment: Measurement.Environment(
        machine: "a-machine", cores: 2, swift: "swift-6.3.1", allocator: "jemalloc",
        buildConfiguration: "release"), loadBefore: 0.25,
      figures: [ours, theirs, bytes],
      limits: [
        Limit(
          "read-only", "lock-free as fast as tbb, times",
          .ratio(.figure(theirs), to: .figure(ours)), requirement: .above(1), target: .atLeast(1.5)),
        Limit("bytes", "bytes an element", .figure(bytes), requirement: .atMost(12)),
      ], trials: trials)
  }

  @Test func `a slow contestant is reported as missed, with status 1`() {
    let report = report([ours: [9, 10, 11], theirs: [5, 5, 5], bytes: [8]])
    #expect(report.status(failures: 0) == .found)
    #expect(
      report.text.contains(
        "read-only  lock-free as fast as tbb, times   0.50  > 1          missed  ≥ 1.5   missed"))
    #expect(
      report.summary(failures: 0)
        == "requirements: 1 met, 1 missed, 0 not measured; "
        + "targets: 0 met, 1 missed, 0 not measured")
  }

  @Test func `if all requirements hold the status is 0, even if a target is missed`() {
    let report = report([ours: [4], theirs: [5], bytes: [8]])
    #expect(report.status(failures: 0) == .fine)
    #expect(report.verdicts[0].target == .missed)
    #expect(report.status(failures: 1) == .found)
  }

  @Test
  func `a figure that is missing is shown as such, and its requirement is neither met nor missed`()
  {
    let report = report([ours: [4], bytes: [8]])
    #expect(report.status(failures: 0) == .undecided)
    #expect(report.missing == [theirs])
    #expect(
      report.text.contains(
        """
                   read-only
        lock-free       4.00
        tbb                –
        """))
    #expect(
      report.text.contains(
        "lock-free as fast as tbb, times      –  > 1          not measured  ≥ 1.5   not measured"))
  }

  @Test func `what was interrupted says that it has fewer trials`() {
    #expect(
      report([ours: [4, 5], theirs: [5]]).text.contains("Medians of 1 to 2 trials of 0.40 s"))
    #expect(report([ours: [4, 5]]).text.contains("Medians of 2 trials of 0.40 s"))
    #expect(report([:]).text.contains("Medians of no trials"))
  }

  @Test func `as Markdown it is tables`() {
    let text = report([ours: [4], theirs: [5], bytes: [8]], format: .markdown).text
    #expect(text.hasPrefix("# Limits\n\na-machine, swift-6.3.1; 2 cores; allocator jemalloc;"))
    #expect(
      text.contains("|  | read-only |\n| --- | ---: |\n| lock-free | 4.00 |\n| tbb | 5.00 |\n"))
    #expect(text.contains("| bytes | bytes an element | 8.00 | ≤ 12 | met |  |  |\n"))
  }

  @Test func `quick ratios decide nothing, missing figures do`() {
    let slow = report([ours: [9], theirs: [5], bytes: [100]], isQuick: true)
    #expect(slow.status(failures: 0) == .fine)
    #expect(slow.text.contains("load average of the minute before: 0.25.\n"))
    #expect(slow.text.hasPrefix("This was --quick: its ratios are meaningless.\n"))
    #expect(report([ours: [9], bytes: [100]], isQuick: true).status(failures: 0) == .undecided)
    #expect(slow.status(failures: 2) == .found)
  }

  @Test func `differences may be negative`() {
    #expect(NumberText.signed(-0.25) == "−0.25")
    #expect(NumberText.signed(-0.001) == "0.00")
    #expect(NumberText.signed(0.25) == "0.25")
    #expect(NumberText.signed(nil) == "–")
  }
}

struct LimitsPlanTests {
  private func plan(_ change: (inout LimitsOptions) -> Void = { _ in }) throws -> LimitsPlan {
    var options = try LimitsOptions.parse([])
    change(&options)
    return try LimitsPlan(options, drawnSeed: Seed(5)!)
  }

  @Test func `each round has every probe once, in an order of its own`() throws {
    let plan = try plan()
    let count = plan.trials.count / 5
    let rounds = (0..<5).map { Array(plan.trials[$0 * count..<($0 + 1) * count]) }
    #expect(plan.rounds == 5)
    #expect(Set(rounds.map { Set($0.map(\.probe.label)) }).count == 1)
    #expect(rounds[0].map(\.probe.label) != rounds[1].map(\.probe.label))
    #expect(rounds.allSatisfy { Set($0.map(\.seed)).count == 1 })
    #expect(Set(rounds.map { $0[0].seed }).count == 5)
  }

  @Test func `--only keeps what its limits rest on`() throws {
    let plan = try plan { $0.only = "floor" }
    #expect(Set(plan.limits.map(\.name)) == ["floor"])
    #expect(plan.trials.allSatisfy { $0.probe.limits.contains("floor") })
    let resting = plan.limits.flatMap(\.quantity.figures)
    #expect(Set(resting).isSubset(of: plan.figures))
    #expect(Set(resting).isSubset(of: plan.trials.flatMap(\.probe.figures)))
  }

  @Test func `figures of contestants that this build lacks are planned, and so shown as missing`()
    throws
  {
    let jdk = Figure("dictionary", "jdk", "read-only")
    let plan = try plan()
    #expect(plan.figures.contains(jdk))
    #expect(!plan.trials.contains { $0.probe.figures.contains(jdk) })
  }

  @Test func `wrong names and numbers are refused with what is allowed`() {
    func message(_ change: (inout LimitsOptions) -> Void) -> String? {
      do {
        _ = try plan(change)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(
      message { $0.only = "flor" }?.hasPrefix("unknown limit 'flor'; did you mean floor?") == true)
    #expect(message { $0.trials = "4" }?.contains("from 5 to 1000") == true)
    #expect(
      message {
        $0.trials = "4"; $0.quick = true
      } == nil)
    #expect(message { $0.format = "html" }?.contains("text, markdown") == true)
    #expect(message { $0.java.jdk = "/nowhere" }?.contains("Driver.class") == true)
  }
}
