import TerminalIO
import ArgumentParser
import Charts
import StressTesting

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
