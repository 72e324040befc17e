import ArgumentParser
import LeakReports
import TerminalIO

/// The command that shows the leaks of a running program.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Shows the leaks of a running program as a live table.",
    usage: "leakwatch watch <file> [options]\nleakwatch watch --demo [options]",
    discussion: WatchHelp.text)

  /// The time between two reads of the file, each of which is followed by a drawing of the table.
  static let interval: Duration = .milliseconds(100)

  @OptionGroup var options: WatchOptions

  func run() async throws {
    let plan = try WatchPlan(options)
    let draws = Terminal.isFree(of: .new(path: "")) && !options.noProgress && !options.once
    switch plan.source {
    case .demo: try await watchDemo(plan, draws: draws)
    case .file(let path, let isFollowed):
      let follower = try LineFollower(path)
      let journal = WatchJournal(plan, WatchedLeaks(), draws: draws)
      Interruption.observe { journal.end(interrupted: true) }
      try await watch(follower, of: path, isFollowed: isFollowed, plan, journal)
    }
  }

  private func watch(
    _ follower: LineFollower, of path: String, isFollowed: Bool, _ plan: WatchPlan,
    _ journal: WatchJournal
  ) async throws {
    let start = ContinuousClock.now
    var isTold = false
    do {
      repeat {
        for line in follower.newLines() { try journal.note(line, of: path) }
        guard isFollowed else { break }
        if !isTold {
          Console.note("following \(path.quotedOnOneLine); Ctrl-C prints the table and exits")
          isTold = true
        }
        journal.draw()
        try await Task.sleep(for: Self.interval)
      } while secondsIfGoingOn(plan, since: start) != nil
      if !isFollowed, let line = follower.unfinishedLine() { try journal.note(line, of: path) }
    } catch let error as CommandError {
      journal.end(as: error)
    }
    journal.end()
  }

  /// Returns the elapsed seconds; nil once they reach the time limit.
  func secondsIfGoingOn(_ plan: WatchPlan, since start: ContinuousClock.Instant)
    -> Double?
  {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return seconds < plan.seconds ?? .infinity ? seconds : nil
  }
}

extension WatchJournal {
  fileprivate func note(_ line: LineFollower.Line, of path: String) throws(CommandError) {
    guard !line.bytes.allSatisfy(" \t\r".utf8.contains) else { return }
    do {
      note(try LeakRecord(jsonLine: line.bytes, of: path, number: line.number))
    } catch {
      throw CommandError(error, allowed: "")
    }
  }
}

/// The text of `leakwatch watch --help` without the options; the whole help has at most 40 lines.
enum WatchHelp {
  static let text = """
    <file> has the reports of a monitor whose reporter is .jsonLines(appendingTo:).
    The table has a line for each class, or for each group with a common maximum:
    live instances, their maximum, leaked instances, late deallocations, and the
    history of the live count.

    A baseline lists known leaks, with exact counts. Other leaks and higher counts
    are new, lower counts are outdated, and an entry expires after its last day:

      {"schema": 1, "leaks": [
        {"fingerprint": "excess App.Session", "count": 1,
         "reason": "issue 12", "expires": "2027-01-31"}
      ]}

    EXIT STATUS: 0 no leak or, with --baseline, no difference; 1 a leak or a
    difference; 2 a file cannot be written, or --once found no report; 64 an option
    or a path is not allowed; 65 a file is damaged; 130 interrupted. Without
    --baseline, --demo exits with 0. With --write-baseline, the status is 0, and
    the new baseline keeps the reasons of --baseline.
    """
}
