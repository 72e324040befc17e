import ArgumentParser
import Charts
import StressTesting
import TerminalIO

/// The command `run`, which runs random scenarios on collections until one violates a promise, and
/// minimizes that scenario.
struct StressCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run random scenarios until one breaks a collection.",
    usage: "weakstress run [<options>]",
    discussion: """
      Scenarios run on real threads and, in a build with the trait Interleaving,
      under a scheduler that controls every thread switch. Every execution is
      recorded and checked for linearizability and leaks. The first violation ends
      the run with status 1. It is minimized and printed as a table with a column
      per thread, followed by the command that repeats it. A run without a single
      scenario ends with status 2.

      EXAMPLES:
        weakstress run --seconds 60
        weakstress run --collection dictionary --backend mutex,lock-free
        swift run -c release --traits Interleaving weakstress run --driver schedules
      """)

  @OptionGroup var options: StressOptions

  func run() async throws {
    try await Self.run(StressPlan(options))
  }

  /// Runs the plan and exits.
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
    journal.end(finding, as: journal.status(of: finding))
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
      cell.onViolation = { journal.keep($0) }
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

/// The command `replay`, which repeats an earlier finding from its replay string.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Repeat a finding of `weakstress run`.",
    usage: "weakstress replay --backend <name> [<options>] <string>",
    discussion: """
      Copy the command that the finding printed. A schedule runs once and repeats
      the execution exactly. A scenario on real threads runs repeatedly until it
      fails or --seconds have passed. Exits 1 if the finding occurs again.

      EXAMPLES:
        weakstress replay --backend mutex wc1.threads.dictionary.s0-0.7
      """)

  @Option(
    help: ArgumentHelp(
      "The abstract type. (default: as in <string>)", valueName: "name"))
  var collection: String?

  @Option(
    help: ArgumentHelp("The backend of the finding. (required)", valueName: "name"))
  var backend: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The maximum time in seconds. (default: 30)", valueName: "number"))
  var seconds: String?

  @Option(
    help: ArgumentHelp("The HTML page for a finding. (default: none)", valueName: "file"))
  var html: String?

  @Argument(help: ArgumentHelp("The replay string of the finding.", valueName: "string"))
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

/// The options of `run`, as typed; `StressPlan` validates them.
struct StressOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Abstract types; see weakstress list. (default: all)", valueName: "names"))
  var collection: String?

  @Option(
    help: ArgumentHelp("Backends; see weakstress list. (default: all)", valueName: "names"))
  var backend: String?

  @Option(
    help: ArgumentHelp(
      "Drivers: threads, schedules. (default: all of this build)", valueName: "names"))
  var driver: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Threads of a scenario. (default: 2,3,4, and crowds)", valueName: "numbers"))
  var threads: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The total time in seconds. (default: 30)", valueName: "number"))
  var seconds: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seed of the scenarios. (default: random)", valueName: "number"))
  var seed: String?

  @Option(
    help: ArgumentHelp("The HTML page for a finding. (default: none)", valueName: "file"))
  var html: String?

  @Option(
    help: ArgumentHelp(
      "A .csv or .md file for the table. (default: none)", valueName: "file"))
  var summary: String?

  @Flag(help: "Draw no progress bar.")
  var noProgress = false
}
