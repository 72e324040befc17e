import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Foundation
import Measurements
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The options of `run`, as typed; `RunPlan` validates them.
///
/// Every value is text here, so that one place checks it and reports what is allowed.
struct RunOptions: ParsableArguments {
  @Option(help: "weak-array, dictionary, weak-set. (default: the first two)")
  var collection: String?

  @Option(help: "Backends, peers or baselines; see list. (default: all)")
  var backend: String?

  @Option(help: "Workloads; see list. (default: all)")
  var workload: String?

  @Option(help: "Instead of workloads, shares in percent: read=95,insert=3,remove=2.")
  var mix: String?

  @Option(help: "Instead of workloads and threads, who does what: reader=3,writer=1; see list.")
  var roles: String?

  @Option(help: "What runs the workers: threads, gcd or tasks. (default: threads)")
  var driver: String?

  @Option(help: "What a program does, in a file of JSON; the other options win over it.")
  var profile: String?

  // Unconditional, here and below, so that -1 is a number that is refused and not an unknown option.
  @Option(
    parsing: .unconditional,
    help: "Worker threads. (default: 1, the cores, twice and four times the cores)")
  var threads: String?

  @Option(parsing: .unconditional, help: "Entries in the collection. (default: 1024)")
  var size: String?

  @Option(help: "How keys are drawn; see list: zipfian:0.99,uniform. (default: the workload's)")
  var keys: String?

  @Option(help: "A dictionary's keys: int or string. (default: int)")
  var key: String?

  @Option(help: "A dictionary's values: int or object. (default: int)")
  var value: String?

  @Option(
    parsing: .unconditional,
    help: "Timed seconds of a trial; a fifth more of warm-up. (default: 0.44)")
  var seconds: String?

  @Option(help: "closed, or open: operations start when they are due. (default: closed)")
  var mode: String?

  @Option(
    parsing: .unconditional,
    help: "In an open loop, operations a second of all threads; a list is allowed.")
  var rate: String?

  @Option(
    parsing: .unconditional,
    help: "In an open loop, percent of the capacity, which is found first. (default: 50,70,90)")
  var load: String?

  @Option(parsing: .unconditional, help: "Repetitions of each configuration. (default: 3)")
  var trials: String?

  @Option(
    parsing: .unconditional,
    help: "Processes that the repetitions are spread over, at most as many. (default: 1)")
  var forks: String?

  @Option(parsing: .unconditional, help: "What repeats a run's keys and order. (default: drawn)")
  var seed: String?

  @Option(help: "Where the rows go; - is standard output. (default: a new file here)")
  var csv: String?

  @Flag(help: "Add the rows to the file that is there.")
  var append = false

  @Flag(help: "Replace the file that is there.")
  var force = false

  @Flag(help: "Only show what would be run, and how long it would take.")
  var dryRun = false

  @Flag(help: "A glance in under two minutes; its numbers decide nothing.")
  var quick = false

  @Option(help: "A folder for the latencies of each row, as HdrHistogram's tools read them.")
  var histograms: String?

  @Flag(help: "Also make a page of the rows, beside their file: rows.html for rows.csv.")
  var report = false

  @Flag(
    help: "Before, measure the noise floor by an A/A run of half a minute, into rows.noise.csv.")
  var noiseFloor = false

  @Flag(help: "Show bytes, latency and spread, one line for each backend and thread count.")
  var details = false

  @Flag(help: "Draw no progress bar.")
  var noProgress = false

  @Option(help: "This machine in the rows. (default: of processor, memory and system)")
  var machine: String?

  @Flag(help: "Run although this build is not fit for measuring; the rows say so.")
  var allowUnoptimized = false

  /// With what the profile says, wherever no flag says otherwise.
  func filledByProfile() throws(CommandError) -> RunOptions {
    guard let path = profile else { return self }
    let profile = try ProfileFile(contentsOf: path)
    var options = self
    options.collection = collection ?? profile.collection?.rawValue
    if workload == nil && mix == nil {
      options.workload = profile.workload
      options.mix = profile.shares?.description
    }
    options.keys = keys ?? profile.keyDistribution
    options.threads = threads ?? profile.threads.map { "\($0)" }
    options.size = size ?? profile.size.map { "\($0)" }
    if profile.synchronousOnly == true, backend == nil {
      options.backend = try Self.synchronousContestants(options.collection)
    }
    return options
  }

  /// Those that are run when nothing is asked for, without the backends that suspend.
  private static func synchronousContestants(_ collection: String?) throws(CommandError) -> String {
    let all = try Selection.collections(collection).flatMap { Contestant.all(for: $0) }
    return all.filter { $0.isStandard && Backend(rawValue: $0.name)?.isSynchronous != false }
      .map(\.name).withoutRepetitions.joined(separator: ",")
  }
}

/// What was typed about how often operations start.
enum PaceOptions {
  static let loads = [50, 70, 90]
  /// In one trial: each that was due and never started is still counted.
  static let mostOperations = 1_000_000_000

  /// One for each rate or load; a load has no target before the capacity is known.
  static func paces(
    _ options: RunOptions, seconds: Double
  ) throws(CommandError) -> [Measurement.Pace] {
    guard try isOpen(options) else { return [.closed] }
    // Who waits sleeps, and a pool's threads are not there to sleep on.
    if let driver = options.driver, driver != "threads" {
      throw .usage("--mode open is on owned threads (allowed: --driver threads)")
    }
    guard let rate = options.rate else {
      let loads = try OptionText("--load", options.load, allowed: 1...200).numbers(otherwise: loads)
      return loads.map { Measurement.Pace(mode: .open, loadPercent: $0) }
    }
    let most = max(1, Int(Double(mostOperations) / max(1, seconds)))
    let rates = try OptionText("--rate", rate, allowed: 1...most).numbers(otherwise: [])
    return rates.map { Measurement.Pace(mode: .open, targetOperationsPerSecond: Double($0)) }
  }

  static var nothingPaceable: CommandError {
    .usage("what times itself cannot be paced (allowed: other backends, or --mode closed)")
  }

  static func isOpen(_ options: RunOptions) throws(CommandError) -> Bool {
    let allowed = Measurement.Mode.allCases.map(\.rawValue)
    guard let mode = Measurement.Mode(rawValue: options.mode ?? "closed") else {
      throw .unknown("mode", options.mode ?? "", allowed: allowed)
    }
    if options.rate != nil && options.load != nil {
      throw .usage("--rate and --load exclude each other (allowed: one of them)")
    }
    guard mode == .closed else { return true }
    if options.rate != nil || options.load != nil {
      let option = options.rate == nil ? "--load" : "--rate"
      throw .usage("\(option) is for an open loop (allowed: \(option) with --mode open)")
    }
    return false
  }
}

extension EnvironmentProbe {
  /// Refuses what a spreadsheet would take for a number, and what would need quoting.
  static func check(machine: String?) throws(CommandError) {
    guard let machine else { return }
    let isPlain = machine.allSatisfy { $0.isASCIIAlphanumeric || "-_.".contains($0) }
    guard isPlain, !machine.isEmpty, Double(machine) == nil else {
      throw .usage(
        "--machine \(machine.quotedOnOneLine) (allowed: letters, digits, hyphens, dots and "
          + "underscores that are not a number, such as build-server-2)")
    }
  }
}

extension OutputDestination {
  /// What the options say; `defaultName` is for a new file in the caller's directory.
  init(_ options: RunOptions, defaultName: String) throws(CommandError) {
    let flags = [
      ("--append", options.append), ("--force", options.force),
    ].filter(\.1).map(\.0)
    guard flags.count <= 1 else {
      throw .usage("\(flags.joined(separator: " and ")) exclude each other (allowed: one of them)")
    }
    guard let csv = options.csv, csv != "-" else {
      if let flag = flags.first {
        throw .usage("\(flag) needs a file (allowed: \(flag) with --csv PATH)")
      }
      self = options.csv == nil ? .new(path: Self.absolute(defaultName)) : .standardOutput
      return
    }
    guard !csv.isEmpty else {
      throw .usage("--csv '' (allowed: a path, or - for standard output)")
    }
    let path = Self.absolute(csv)
    switch (options.append, options.force) {
    case (true, _): self = .appending(path: path)
    case (_, true): self = .replacing(path: path)
    default: self = .new(path: path)
    }
  }

  /// Of rows: where a page of them goes.
  func page() throws(CommandError) -> OutputDestination {
    try beside(ending: ".html", option: "--report")
  }

  /// Of rows: where what each role did goes; rows that are kept keep theirs.
  func roles() throws(CommandError) -> OutputDestination {
    let roles = try beside(ending: ResultsFile.rolesEnding, option: "--roles")
    if case .appending = self, case .replacing(let path) = roles { return .appending(path: path) }
    return roles
  }

  /// Refuses what could not be written or would lose rows; rows are appended only to a file with these columns.
  func check(columns: [String]) throws(CommandError) {
    try check { path throws(CommandError) in try Self.checkHeader(of: path, columns: columns) }
  }

  /// Rows of other columns would make the file unreadable; so would a row that was cut off.
  private static func checkHeader(
    of path: String, columns: [String]
  ) throws(CommandError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw unwritable(path, EACCES)
    }
    if data.isEmpty { return }
    let text = String(decoding: data, as: UTF8.self)
    guard (try? MeasurementCSV.columnNames(in: text)) == columns else {
      throw .usage(
        "\(path) cannot be appended to: its header is not this version's "
          + "(allowed: a file with the header \(columns.joined(separator: ",")), --force or another path)"
      )
    }
    guard data.last == UInt8(ascii: "\n") else {
      throw .usage(
        "\(path) cannot be appended to: its last row is cut off "
          + "(allowed: a file that ends with a line end, --force or another path)")
    }
  }
}
