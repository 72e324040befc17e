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
  /// The time limit; nil for none.
  let seconds: Double?
  let baseline: LeakBaseline?
  let newBaseline: String?
  let page: String?

  init(_ options: WatchOptions) throws(CommandError) {
    switch (options.demo, options.file) {
    case (true, nil): source = .demo
    case (false, let file?): source = .file(path: file, isFollowed: !options.once)
    case (true, _?), (false, nil):
      throw .usage("watch shows one thing (allowed: --demo, or a file of reports)")
    }
    guard !options.once || (!options.demo && options.seconds == nil) else {
      throw .usage("--once is for a file, which it reads at once (allowed: FILE --once)")
    }
    let time = OptionText("--seconds", options.seconds, allowed: 1...1_000_000)
    let limit = try time.seconds(otherwise: 10)
    seconds = options.demo || options.seconds != nil ? limit : nil
    page = try Self.path(replacing: options.html, option: "--html", ending: "html")
    newBaseline = try Self.path(
      replacing: options.writeBaseline, option: "--write-baseline", ending: "json")
    baseline = try options.baseline.map { path throws(CommandError) in try Self.baseline(in: path) }
  }

  private static func path(
    replacing path: String?, option: String, ending: String
  ) throws(CommandError) -> String? {
    if let path { _ = try OutputDestination(replacing: path, option: option, endings: [ending]) }
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
  /// Creates the error of a report file that is damaged, missing or not writable.
  init(_ error: LeakFileError, allowed: String) {
    switch error {
    case .malformed: self.init(status: .badData, description: error.description)
    case .unreadable: self = .usage("\(error) (allowed: \(allowed))")
    case .unwritable: self = .failed(error.description)
    }
  }
}

/// The options of `watch` as given; `WatchPlan` validates them.
struct WatchOptions: ParsableArguments {
  @Flag(help: "Watch a small program inside this one, which leaks.")
  var demo = false

  @Flag(help: "Read what is in the file now, and end.")
  var once = false

  @Option(
    parsing: .unconditional,
    help: "End after so long, also parts such as 0.5. (default: 10 for --demo, else never)")
  var seconds: String?

  @Option(help: "Known leaks: all else fails, and so does what is known but not found.")
  var baseline: String?

  @Option(help: "Write what leaks as known to this file, which is replaced; reasons are kept.")
  var writeBaseline: String?

  @Option(help: "Write the same as a page with charts, ending in .html; it is replaced.")
  var html: String?

  @Flag(help: "Draw nothing before the end.")
  var noProgress = false

  @Argument(help: "Reports as JSON Lines, which another process may still be writing.")
  var file: String?
}
