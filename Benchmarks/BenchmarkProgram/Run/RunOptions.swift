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
/// Every value is text, so that one place checks it and lists the allowed values. A help text is
/// one line of at most 54 characters, so that the help fits one screen.
struct RunOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Abstract types. (default: weak-array,dictionary)", valueName: "names"))
  var collection: String?

  @Option(
    help: ArgumentHelp(
      "Backends; see weakbench list. (default: all)", valueName: "names"))
  var backend: String?

  @Option(help: ArgumentHelp("Workloads; see weakbench list. (default: all)", valueName: "names"))
  var workload: String?

  @OptionGroup var operations: OperationOptions

  @Option(
    help: ArgumentHelp(
      "Workers with different tasks: reader=3,writer=1.", valueName: "workers"))
  var roles: String?

  @Option(
    help: ArgumentHelp(
      "Workers on threads, gcd or tasks. (default: threads)", valueName: "name"))
  var driver: String?

  // Unconditional, here and below, so that -1 is a refused number, not an unknown option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Worker threads. (default: 1,n,2n,4n for n cores)", valueName: "numbers"))
  var threads: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Entries in the collection. (default: 1024)", valueName: "numbers"))
  var entries: String?

  @Option(
    help: ArgumentHelp(
      "How keys are drawn; see weakbench list.", valueName: "names"))
  var keyDistribution: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Timed seconds per trial. (default: 0.21)", valueName: "number"))
  var seconds: String?

  @Option(
    help: ArgumentHelp("Loop: closed or open. (default: closed)", valueName: "name"))
  var mode: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Open loop: operations per second of all threads.", valueName: "numbers"))
  var rate: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Open loop: percent of capacity. (default: 50,70,90)", valueName: "numbers"))
  var load: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Repetitions of each configuration. (default: 3)", valueName: "number"))
  var trials: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Processes that share the repetitions. (default: 3)", valueName: "number"))
  var sessions: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Whole seconds between sessions. (default: 5)", valueName: "number"))
  var pause: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Then seconds for undecided cells. (default: 2/3 more)", valueName: "number"))
  var extra: String?

  @OptionGroup var seed: SeedOption

  @Option(
    help: ArgumentHelp(
      "File of rows, - is standard output. (default: new)", valueName: "file"))
  var csv: String?

  @Flag(help: "Add the rows to an existing file.")
  var append = false

  @Flag(help: "Replace an existing file.")
  var force = false

  @Flag(help: "Print the plan and its duration; measure nothing.")
  var dryRun = false

  @Flag(help: "Run a small matrix in a minute; not for decisions.")
  var quick = false

  @Option(
    help: ArgumentHelp("Folder for HdrHistogram files. (default: none)", valueName: "path"))
  var histograms: String?

  @Flag(help: "Also write a page: rows.html for rows.csv.")
  var report = false

  @Flag(help: "Show bytes, latency and spread in the table.")
  var details = false

  @OptionGroup var progress: ProgressOption

  @Option(
    help: ArgumentHelp(
      "Label of this machine. (default: from its properties)", valueName: "name"))
  var machine: String?

  @OptionGroup var build: BuildFitness

  /// The options that allow an existing file.
  static let fileFlags = ["--append", "--force"]

  /// Returns the options, with missing ones taken from the profile.
  func filledByProfile() throws(CommandError) -> RunOptions {
    guard let profile = try operations.profileFile() else { return self }
    var options = self
    options.collection = collection ?? profile.collection?.rawValue
    if workload == nil && !operations.haveMix {
      options.workload = profile.workload
      options.operations.mix = profile.shares?.description
    }
    options.keyDistribution = keyDistribution ?? profile.keyDistribution
    options.threads = threads ?? profile.threads.map { "\($0)" }
    options.entries = entries ?? profile.entries.map { "\($0)" }
    if profile.synchronousOnly == true, backend == nil {
      options.backend = try Self.synchronousContestants(options.collection)
    }
    return options
  }

  /// Returns the default contestants without the backends that suspend.
  private static func synchronousContestants(_ collection: String?) throws(CommandError) -> String {
    let all = try Selection.collections(collection).flatMap { Contestant.all(for: $0) }
    return all.filter { $0.isStandard && Backend(rawValue: $0.name)?.isSynchronous != false }
      .map(\.name).withoutRepetitions.joined(separator: ",")
  }
}

/// The validation of the options for the pace of operations.
enum PaceOptions {
  static let loads = [50, 70, 90]
  /// The largest number of due operations in a trial; even those that never start are recorded.
  static let mostOperations = 1_000_000_000

  /// Returns one pace per rate or load; a load has no target until its capacity is known.
  static func paces(
    _ options: RunOptions, seconds: Double
  ) throws(CommandError) -> [Measurement.Pace] {
    guard try isOpen(options) else { return [.closed] }
    // Workers of an open loop sleep, which must not block the threads of a pool.
    if let driver = options.driver, driver != "threads" {
      throw .usage(
        "--mode open does not run on \(driver.quotedOnOneLine) (allowed: --driver threads)")
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
    .usage(
      "maps of other languages have no open loop (allowed: other backends, or --mode closed)")
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
  /// Throws for a label that CSV would have to quote, or that a spreadsheet would treat as a
  /// number.
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
  /// Creates the destination of the rows.
  ///
  /// - Parameters:
  ///   - options: The options of the command.
  ///   - defaultName: The name of a new file in the current directory, used without `--csv`.
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

  /// Returns the destination of a page of the rows.
  func page() throws(CommandError) -> OutputDestination {
    try beside(ending: ".html", option: "--report")
  }

  /// Returns the destination of the roles; if rows are appended, so are their roles.
  func roles() throws(CommandError) -> OutputDestination {
    let roles = try beside(ending: ResultsFile.rolesEnding, option: "--roles")
    if case .appending = self, case .replacing(let path) = roles { return .appending(path: path) }
    return roles
  }

  /// Throws if the destination cannot be written or would lose rows, or if rows with the parts
  /// cannot be appended to the file that it has.
  func check<Writer: ResultsWriter>(
    _ writer: Writer.Type, parts: Set<MeasurementCSV.Part>
  ) throws(CommandError) {
    try check(unless: RunOptions.fileFlags) { path throws(CommandError) in
      _ = try Self.writer(appendingTo: path, parts: parts) as Writer
    }
  }

  /// Returns a writer of rows that follow those of a file.
  ///
  /// - Throws: A usage error if the appended rows would be unreadable: the file lacks one of their
  ///   columns, or its last row is truncated.
  static func writer<Writer: ResultsWriter>(
    appendingTo path: String, parts: Set<MeasurementCSV.Part>
  ) throws(CommandError) -> Writer {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw unwritable(path, EACCES)
    }
    if data.isEmpty { return Writer(parts: parts) }
    let writer: Writer
    do {
      writer = try Writer(parts: parts, continuing: String(decoding: data, as: UTF8.self))
    } catch {
      let reason =
        if case .missingColumn(let name) = error { "it has no column '\(name)'" } else {
          "\(error)"
        }
      throw .usage(
        "\(path) cannot be appended to: \(reason) "
          + "(allowed: --force, or another path and then weakbench merge)")
    }
    guard data.last == UInt8(ascii: "\n") else {
      throw .usage(
        "\(path) cannot be appended to: its last row is truncated "
          + "(allowed: a file that ends with a line end, --force or another path)")
    }
    return writer
  }
}
