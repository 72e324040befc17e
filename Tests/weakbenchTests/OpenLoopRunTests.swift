import ProgramTesting
@testable import Benchmarking
import TerminalIO
import Measurements
import Testing

@testable import weakbench

@Suite struct OpenLoopRunTests {
  private static let line =
    "--mode open --collection dictionary --backend mutex,lock-free --mix read=100"

  @Test func `loads are shares of a capacity that each configuration has of its own`() async throws
  {
    var plan = try RunPlan.of("\(Self.line) --load 50,90 --trials 4")
    #expect(plan.trials.count == 2 * 2 * 2 * 4)
    #expect(plan.searchSeconds > 0)
    var searched: [TrialSpecification] = []
    var notes: [String] = []
    try await plan.findCapacities(note: { notes.append($0) }) { trial throws(TrialFailure) in
      searched.append(trial)
      return .capacity(trial.contestant.name == "mutex" ? 1e6 : 2e6 + Double(trial.number))
    }
    // Three of the four trials, of each backend at 1 and 2 threads.
    #expect(searched.count == 2 * 2 * 3)
    #expect(searched.allSatisfy { $0.pace == .init(mode: .open) })
    #expect(notes.count == 4)
    #expect(
      notes.contains(
        "capacity of dictionary mutex custom ×2: 1.00M operations/s (3 trials, 1.00M to 1.00M)"))
    #expect(plan.trials.count == 2 * 2 * 2 * 4)
    #expect(plan.searchSeconds == 0)
    let targets = Set(plan.trials.map { "\($0.contestant.name) \($0.pace)" })
    #expect(targets.count == 4)
    for trial in plan.trials {
      let capacity = trial.contestant.name == "mutex" ? 1e6 : 2_000_002
      let share = try #require(trial.pace.loadPercent)
      #expect(trial.pace.targetOperationsPerSecond == (capacity * Double(share) / 100).rounded())
    }
  }

  @Test func `what has no capacity is left out, and said`() async throws {
    var plan = try RunPlan.of("\(Self.line) --threads 1 --trials 1")
    var notes: [String] = []
    try await plan.findCapacities(note: { notes.append($0) }) { trial throws(TrialFailure) in
      guard trial.contestant.name == "mutex" else {
        throw TrialFailure(specification: trial, reason: "it broke")
      }
      return .capacity(1e6)
    }
    #expect(Set(plan.trials.map(\.contestant.name)) == ["mutex"])
    #expect(plan.trials.compactMap(\.pace.loadPercent).sorted() == PaceOptions.loads)
    #expect(notes.contains { $0.hasPrefix("failed: ") && $0.contains("it broke") })
  }

  @Test func `a rate is the same for all, and nothing is to be found`() throws {
    let plan = try RunPlan.of("\(Self.line) --rate 1000,20000 --trials 1 --threads 1")
    #expect(plan.searchSeconds == 0)
    #expect(
      Set(plan.trials.map(\.pace)) == [
        .init(mode: .open, targetOperationsPerSecond: 1000),
        .init(mode: .open, targetOperationsPerSecond: 20000),
      ])
  }

  @Test(arguments: [
    ("--mode opne", "did you mean open? (allowed: closed, open)"),
    ("--rate 1000", "--rate with --mode open"),
    ("--load 50 --mode closed", "--load with --mode open"),
    ("--mode open --rate 5 --load 5", "allowed: one of them"),
    ("--mode open --load 0", "from 1 to 200"),
    ("--mode open --driver gcd", "--driver threads"),
    ("--mode open --rate -1", "from 1 to 1000000000"),
    ("--mode open --rate 1000000000 --seconds 100", "from 1 to 10000000,"),
  ])
  func `what is not allowed is one line that lists what is`(_ line: String, _ hint: String) throws {
    let error = try commandError { _ = try RunPlan.of(line) }
    #expect(error.status == .usage)
    #expect(error.description.contains(hint), "\(error)")
  }

  @Test func `rows of open loops have a table of their own, with both kinds of time`() {
    let pace = Measurement.Pace(mode: .open, targetOperationsPerSecond: 7e5, loadPercent: 70)
    var rows = [Measurement.example(1), .example(2, "lock-free"), .example(3)]
    rows[0].configuration.pace = .init(
      mode: .open, targetOperationsPerSecond: 9e5, loadPercent: 90)
    for index in 1...2 { rows[index].configuration.pace = pace }
    for index in rows.indices {
      rows[index].throughput.operationsPerSecond = 699_000
      rows[index].openLoop = Measurement.OpenLoop(
        service: .init(p50Nanoseconds: 90, p99Nanoseconds: 400, maxNanoseconds: 4e6),
        intended: .init(p50Nanoseconds: 120, p99Nanoseconds: 2e6, maxNanoseconds: 5e6), backlog: 0)
    }
    let table = """
      dictionary, read-heavy, size 1,024, 1 thread, open loop
      BACKEND    load  target/s  done/s  backlog  TIME          p50      p99  p99.9  p99.99      max
      mutex      70 %      700k    699k        0  service   90.0 ns   400 ns      –       –  4.00 ms
                                                  intended   120 ns  2.00 ms      –       –  5.00 ms
      mutex      90 %      900k    699k        0  service   90.0 ns   400 ns      –       –  4.00 ms
                                                  intended   120 ns  2.00 ms      –       –  5.00 ms
      lock-free  70 %      700k    699k        0  service   90.0 ns   400 ns      –       –  4.00 ms
                                                  intended   120 ns  2.00 ms      –       –  5.00 ms

      service: from an operation's start to its end; intended: from when it was due, which is what \
      somebody would have waited.
      load: the target in percent of the capacity found; backlog: due and never started; medians of \
      the trials; – not measured.
      This was --quick: not for decisions.
      """
    #expect(SummaryTable(of: rows, isQuick: true, details: true).text == table)
  }

  @Test func `the latencies of a row are files named by it`() throws {
    let folder = try TemporaryFolder()
    let output = try OutputFolder("\(folder.path)/new", option: "--histograms")
    var recorder = LatencyRecorder()
    recorder.record(41)
    try output.write(
      [LatencyDistribution("service", recorder), LatencyDistribution("intended", .init())],
      ofRow: "run-1-1")
    #expect(try folder.text(of: "new/run-1-1.service.hgrm").contains("41.000"))
    // There is no file of nothing.
    #expect(throws: (any Error).self) { try folder.text(of: "new/run-1-1.intended.hgrm") }
  }
}

extension TrialResult {
  fileprivate static func capacity(_ rate: Double) -> TrialResult {
    var result = TrialResult.example
    result.throughput.operationsPerSecond = rate
    return result
  }
}
