import BenchmarkCommands
import Benchmarking
import Charts
import Foundation
import Measurements
import Reporting
import Synchronization
import TerminalIO
import WeakCollections
import Workloads

/// The series of a soak as a table and as CSV.
struct SoakReport {
  let specifications: [TrialSpecification]
  let series: [SoakSeries]

  init(_ specifications: [TrialSpecification], _ series: [SoakSeries]) {
    self.specifications = specifications
    self.series = series
  }

  /// The exit status of the worst trend.
  var status: ExitStatus {
    let trends = Set(series.map(\.trend))
    if trends.contains(.growing) { return .found }
    return trends.contains(.undecided) ? .undecided : .fine
  }

  var table: String {
    var table = TextTable(columns: [
      .init(title: "COLLECTION"), .init(title: "BACKEND"), .init(title: "WORKLOAD"),
      .init(title: "OPERATIONS", alignment: .right), .init(title: "SAMPLES", alignment: .right),
      .init(title: "FIRST", alignment: .right), .init(title: "LAST", alignment: .right),
      .init(title: "BYTES/OP", alignment: .right), .init(title: "99 % INTERVAL"),
      .init(title: "LIVE BYTES"),
    ])
    table.rows = zip(specifications, series).map(Self.row)
    return table.lines.joined(separator: "\n")
  }

  private static func row(_ specification: TrialSpecification, _ series: SoakSeries) -> [String] {
    let slope = series.bytesPerOperation
    let interval = slope.map {
      "\(scientific($0.interval.lowerBound)) … \(scientific($0.interval.upperBound))"
    }
    return [
      specification.contestant.collection.rawValue, specification.contestant.name,
      specification.workload.name, NumberText.rate(Double(series.samples.last?.operations ?? 0)),
      NumberText.count(series.counted.count), bytes(series.counted.first),
      bytes(series.counted.last), slope.map { scientific($0.slope) } ?? NumberText.missing,
      interval ?? NumberText.missing, series.trend.rawValue,
    ]
  }

  /// The samples as CSV, one line per sample, in the order of the table.
  var csv: String {
    let lines = zip(specifications, series).flatMap { specification, series in
      series.samples.map { sample in
        "\(specification.contestant.collection.rawValue),\(specification.contestant.name),"
          + "\(specification.workload.name),\(specification.threads),\(specification.entries),"
          + "\(specification.seed),\(sample.seconds),\(sample.operations),\(sample.liveBytes)\n"
      }
    }
    return "collection,backend,workload,threads,entries,seed,seconds,operations,live_bytes\n"
      + lines.joined()
  }

  private static func bytes(_ sample: SoakSeries.Sample?) -> String {
    guard let bytes = sample?.liveBytes else { return NumberText.missing }
    return (bytes < 0 ? "-" : "") + NumberText.count(abs(bytes))
  }

  /// Returns a number with two digits and a power of ten, because slopes may be very small.
  private static func scientific(_ value: Double) -> String {
    guard value != 0 else { return "0" }
    var mantissa = abs(value)
    var exponent = 0
    while mantissa >= 9.95 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa < 0.995 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    let digits = Int((mantissa * 10).rounded())
    let sign = value < 0 ? "-" : ""
    return "\(sign)\(digits / 10).\(digits % 10)e\(exponent)"
  }
}

/// The samples so far; shared with the thread that handles an interruption.
final class SoakJournal: Sendable {
  private struct State {
    var series: [SoakSeries]
    var failures = 0
  }

  private let state: Mutex<State>
  private let plan: SoakPlan
  private let destination: OutputDestination?
  private let drawsProgress: Bool
  private let start = ContinuousClock.now

  init(_ plan: SoakPlan, _ destination: OutputDestination?, drawsProgress: Bool) {
    self.plan = plan
    self.destination = destination
    self.drawsProgress = drawsProgress
    state = Mutex(State(series: plan.specifications.map { _ in SoakSeries() }))
  }

  var isTimeUp: Bool { elapsed >= plan.seconds }

  private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

  func add(_ sample: SoakSeries.Sample, to index: Int) {
    state.withLock { $0.series[index].append(sample) }
  }

  func fail(_ index: Int, _ reason: String) {
    state.withLock { $0.failures += 1 }
    if drawsProgress { Terminal.clearLine() }
    Console.note("failed: \(plan.specifications[index].label), seed \(plan.seed): \(reason)")
  }

  func drawProgress(_ next: TrialSpecification) {
    guard drawsProgress else { return }
    let bar = ProgressBar(
      done: Int(min(elapsed, plan.seconds)), total: Int(plan.seconds.rounded(.up)),
      secondsLeft: max(0, plan.seconds - elapsed), label: next.label)
    Terminal.draw(bar.text(width: Terminal.width))
  }

  /// Prints the table, keeps the lock indefinitely, and ends the program.
  func end(as status: ExitStatus) -> Never {
    state.withLock { state -> Never in
      if drawsProgress { Terminal.clearLine() }
      let report = SoakReport(plan.specifications, state.series)
      // A table in the stream of rows would damage the CSV.
      if destination == .standardOutput {
        Console.writeError(report.table + "\n")
      } else {
        Console.print(report.table)
      }
      let written = destination?.write(report.csv)
      let found = state.failures > 0 ? .found : report.status
      // `_exit`, not `exit`: other threads may be in the middle of a turn, and no output is
      // buffered.
      _exit((written ?? (status == .fine ? found : status)).rawValue)
    }
  }
}
