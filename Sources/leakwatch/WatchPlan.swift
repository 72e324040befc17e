import ArgumentParser
import LeakReports
import TerminalIO

/// The validated options of `watch`.
struct WatchPlan: Sendable {
  enum Source: Equatable, Sendable {
    case demo
    case file(path: String, isFollowed: Bool)
  }

  let source: Source
  /// The time limit; nil if there is none.
  let seconds: Double?
  let baseline: LeakBaseline?
  let newBaseline: String?
  let page: String?

  init(_ options: WatchOptions) throws(CommandError) {
    switch (options.demo, options.file) {
    case (true, nil): source = .demo
    case (false, let file?): source = .file(path: file, isFollowed: !options.once)
    case (true, _?), (false, nil):
      throw .usage("watch needs one source of reports (allowed: --demo, or a file of reports)")
    }
    guard !options.once || (!options.demo && options.seconds == nil) else {
      throw .usage(
        "--once reads a file and exits, so it excludes --demo and --seconds "
          + "(allowed: <file> --once)")
    }
    let time = OptionText("--seconds", options.seconds, allowed: 1...1_000_000)
    let limit = try time.seconds(otherwise: 10)
    seconds = options.demo || options.seconds != nil ? limit : nil
    let inputs = [options.file, options.baseline].compactMap(\.self)
    page = try Self.path(
      replacing: options.html, option: "--html", ending: "html", isNoneOf: inputs)
    newBaseline = try Self.path(
      replacing: options.writeBaseline, option: "--write-baseline", ending: "json",
      isNoneOf: inputs)
    baseline = try options.baseline.map { path throws(CommandError) in try Self.baseline(in: path) }
  }

  private static func path(
    replacing path: String?, option: String, ending: String, isNoneOf inputs: [String]
  ) throws(CommandError) -> String? {
    guard let path else { return nil }
    try OutputDestination(replacing: path, option: option, endings: [ending])
      .check(isNoneOf: inputs)
    return path
  }

  private static func baseline(in path: String) throws(CommandError) -> LeakBaseline {
    do {
      return try LeakBaseline(contentsOf: path)
    } catch {
      throw CommandError(error, allowed: "a file that --write-baseline wrote")
    }
  }
}

extension CommandError {
  /// Creates the error of a report file that is damaged, unreadable or not writable.
  init(_ error: LeakFileError, allowed: String) {
    switch error {
    case .malformed: self.init(status: .badData, description: error.description)
    case .unreadable: self = .usage("\(error) (allowed: \(allowed))")
    case .unwritable: self = .failed(error.description)
    }
  }
}

/// The options of `watch` from the command line; `WatchPlan` validates them.
struct WatchOptions: ParsableArguments {
  @Flag(help: "Watch a small program that leaks on purpose.")
  var demo = false

  @Flag(help: "Read the file once and exit (default: follow it).")
  var once = false

  @Option(
    parsing: .unconditional,
    help: "Exit after this time, such as 0.5 (default: 10 with --demo, else no limit).")
  var seconds: String?

  @Option(
    help: ArgumentHelp("Compare the leaks with this baseline (default: none).", valueName: "file"))
  var baseline: String?

  @Option(
    help: ArgumentHelp("Write the leaks to this new baseline (default: none).", valueName: "file"))
  var writeBaseline: String?

  @Option(
    help: ArgumentHelp("Write charts to this .html file (default: none).", valueName: "file"))
  var html: String?

  @Flag(help: "Draw no table before the end (default: draw it).")
  var noProgress = false

  @Argument(help: "The reports as JSON Lines, which may still grow.")
  var file: String?
}
