import ArgumentParser
import Charts
import StressTesting
import TerminalIO

/// Tries random scenarios on collections until one breaks a promise, and makes that one small.
struct StressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Try to break collections; print the smallest scenario that does.",
    discussion: """
      Random scenarios run on real threads and, in a build with the trait Interleaving (scripts/stress), \
      under a scheduler that chooses every switch. Each execution is recorded and checked: is there an \
      order of its operations that a sequential collection allows, and was everything let go. The first \
      violation is made smaller, shown as a table with a column for each thread, and ends the run with \
      status 1; the last line printed repeats it.

      EXAMPLES:
        weakstress run --seconds 60
        weakstress run --backend lock-free --driver schedules
        weakstress replay --backend mutex wc1.threads.dictionary.s0-0.7
      """)

  @OptionGroup var options: StressOptions

  func run() async throws {
    try await Self.run(StressPlan(options))
  }

  /// Ends the program.
  static func run(_ plan: StressPlan) async throws {
    let drawsProgress = Terminal.isFree(of: .replacing(path: "")) && !plan.isQuiet
    let journal = StressJournal(plan, drawsProgress: drawsProgress)
    Interruption.observe { journal.end(nil, as: .interrupted) }
    CrashNote.install()
    let finding: Finding?
    if let replay = plan.replay {
      finding = try await Self.repeated(replay, plan)
    } else {
      finding = await Self.search(plan, journal)
    }
    journal.end(finding, as: finding == nil ? .fine : .found)
  }

  private static func search(_ plan: StressPlan, _ journal: StressJournal) async -> Finding? {
    let count = plan.cells.count
    Console.note(
      "\(NumberText.duration(seconds: plan.seconds)) for \(count) "
        + "\(count == 1 ? "pair" : "pairs") of subject and driver; --seed \(plan.seed) repeats them"
    )
    let cells = plan.cells.map { cell in
      var cell = cell
      let subject = cell.subject
      cell.announce = { CrashNote.expect($0, subject) }
      return cell
    }
    var session = StressSession(cells)
    return await session.run(
      until: .now + .seconds(plan.seconds), report: { journal.add($1, to: $0) })
  }

  private static func repeated(
    _ replay: Replay, _ plan: StressPlan
  ) async throws(CommandError) -> Finding? {
    do {
      return try await replay.run(
        until: .now + .seconds(plan.seconds),
        announce: { CrashNote.expect($0, replay.subject) }
      ).finding
    } catch {
      throw .usage("replay: \(error)")
    }
  }
}

/// Repeats an earlier finding from its replay string.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Repeat a finding of `weakstress run` from the line that it printed.",
    discussion: """
      A schedule is repeated once and exactly; a scenario of real threads is tried again for --seconds.

      EXAMPLES:
        weakstress replay --backend mutex wc1.threads.dictionary.s0-0.7
      """)

  @Option(help: "weak-array, dictionary, weak-set. (default: the one in the string)")
  var collection: String?

  @Option(help: "The backend that the finding names.")
  var backend: String?

  @Option(
    parsing: .unconditional, help: "How long it is tried, also fractions such as 0.5. (default: 30)"
  )
  var seconds: String?

  @Option(help: "Where a finding is drawn as a page; the file is replaced.")
  var html: String?

  @Argument(help: "The replay string that a finding printed.")
  var text: String

  func run() async throws {
    var options = try StressOptions.parse([])
    options.collection = collection
    options.backend = backend
    options.seconds = seconds
    options.html = html
    try await StressCommand.run(StressPlan(options, replaying: text))
  }
}

/// The options of `weakstress run`, as typed; `StressPlan` interprets them.
struct StressOptions: ParsableArguments {
  @Option(help: "weak-array, dictionary, weak-set. (default: all)")
  var collection: String?

  @Option(help: "Backends. (default: all)")
  var backend: String?

  @Option(help: "threads, schedules or both. (default: all that this build has)")
  var driver: String?

  @Option(parsing: .unconditional, help: "How long in all, also parts such as 0.5. (default: 30)")
  var seconds: String?

  @Option(parsing: .unconditional, help: "What repeats the scenarios. (default: drawn)")
  var seed: String?

  @Option(help: "Where a finding is drawn as a page; the file is replaced.")
  var html: String?

  @Option(help: "Where the table goes too: a .csv or .md file, which is replaced.")
  var summary: String?

  @Flag(help: "Draw no progress line.")
  var noProgress = false
}
