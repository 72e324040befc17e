import ArgumentParser
import LeakReports
import TerminalIO

/// Shows the classes of a running program that leak.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Watch a program's leaks: classes, counts and their history, live.",
    discussion: WatchHelp.text)

  /// The interval at which the table is drawn and a file is read.
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
          Console.note("following \(path.quotedOnOneLine); Ctrl-C ends it with the table")
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

  /// Returns the elapsed seconds; nil when the time limit is reached.
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

/// The text of `leakwatch watch --help` beyond the options.
enum WatchHelp {
  static let text = """
    FILE is what a program writes whose monitor has the reporter .jsonLines(appendingTo: FILE): a line of \
    JSON for each report. It is followed like a log until you press Ctrl-C or --seconds are over; --once \
    reads what is there. On a terminal a table is drawn meanwhile; at the end it goes to standard output, \
    with the last message of each leak.

    The table has a line for each class, or group of classes with one maximum: how many live, as last \
    reported (with --demo, as counted); how many may; how many of them are leaks; how many leaks died after \
    all; and how the count came to that. Of a survivor the count of its class is not known.

    --baseline FILE is JSON, one entry for each known leak: its fingerprint, the exact number of instances, \
    the reason, and if it is not for ever the last day:

      {"schema": 1, "leaks": [
        {"fingerprint": "excess App.Session", "count": 1,
         "reason": "issue 12", "expires": "2027-01-31"}
      ]}

    More than is known is new; less is stale, so that what is mended stays so; past its day it is expired. \
    --write-baseline writes such a file, to be given reasons.

    STATUS: 0 nothing leaks or, with --baseline, all is as known; 1 something leaks or is new, stale or \
    expired; 2 a file cannot be written; 64 an option or file is not allowed; 65 a file is damaged, and \
    the place is told; 130 interrupted, what was read by then is shown. The demo leaks and ends with 0 unless \
    a baseline says otherwise; so does --write-baseline.

    EXAMPLES:
      leakwatch watch --demo
      leakwatch watch --demo --seconds 3 --html leaks.html
      leakwatch watch leaks.jsonl
      leakwatch watch leaks.jsonl --once --write-baseline known.json
      leakwatch watch leaks.jsonl --once --baseline known.json
    """
}
