import Foundation
import LeakReports
import Synchronization
import TerminalIO

/// The state of a running `watch` command, which the threads that report share with the thread that
/// handles an interruption.
final class WatchJournal: Sendable {
  private struct State {
    var watched: WatchedLeaks
    var screen = WatchScreen()
  }

  private let state: Mutex<State>
  private let plan: WatchPlan
  private let draws: Bool

  init(_ plan: WatchPlan, _ watched: WatchedLeaks, draws: Bool) {
    self.plan = plan
    self.draws = draws
    state = Mutex(State(watched: watched))
  }

  func note(_ record: LeakRecord) {
    state.withLock { $0.watched.note(record) }
  }

  func note(liveCounts: [String: Int], at seconds: Double) {
    state.withLock { $0.watched.note(liveCounts: liveCounts, at: seconds) }
  }

  func draw() {
    guard draws else { return }
    let (width, height) = (Terminal.width, Terminal.height)
    state.withLock { state in
      let lines = WatchTable(state.watched).lines(width: width)
      Console.writeError(state.screen.text(for: lines, width: width, height: height))
    }
  }

  /// Prints the result and exits. Holds the lock meanwhile, so that no other thread prints after
  /// the result.
  func end(as ending: CommandError? = nil, interrupted: Bool = false) -> Never {
    state.withLock { state -> Never in
      if draws { Console.writeError(state.screen.clear()) }
      let report = WatchEnding(plan, state.watched)
      report.lines(width: Terminal.width).forEach(Console.print)
      let failure = report.write() ?? ending ?? (interrupted ? nil : report.missingReports)
      if let failure { Console.note(failure.description) }
      let status = failure?.status ?? (interrupted ? .interrupted : report.status)
      // Not `exit`: other threads may still report, and its exit handlers would race with them. No
      // output is buffered, so none is lost.
      _exit(status.rawValue)
    }
  }
}

/// The lines at the bottom of a terminal, which each drawing replaces.
struct WatchScreen: Sendable {
  private var drawn = 0

  /// Returns the control text that replaces the drawn lines by `lines`, cut to the number of lines
  /// and columns that the terminal can show.
  mutating func text(for lines: [String], width: Int, height: Int) -> String {
    let shown = lines.prefix(max(1, height - 1)).map { line in
      line.count <= width ? line : line.prefix(max(0, width - 1)) + "…"
    }
    defer { drawn = shown.count }
    return home + shown.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J"
  }

  /// Returns the control text that removes the lines.
  mutating func clear() -> String {
    defer { drawn = 0 }
    return drawn > 0 ? home + "\u{1B}[J" : ""
  }

  private var home: String { drawn > 0 ? "\u{1B}[\(drawn)A\r" : "" }
}

/// The result that `watch` prints and writes at its end.
struct WatchEnding {
  private let plan: WatchPlan
  private let watched: WatchedLeaks
  private let judgement: LeakJudgement?

  init(_ plan: WatchPlan, _ watched: WatchedLeaks, on day: CalendarDay = .today) {
    self.plan = plan
    self.watched = watched
    judgement = plan.baseline?.judge(watched.tally, on: day)
  }

  /// The exit status. With a new baseline, it is always success. With a baseline to compare with,
  /// it reports whether the run matches the baseline. Otherwise it reports whether the program
  /// leaks, or that a file has no reports. The demo may leak.
  var status: ExitStatus {
    if plan.newBaseline != nil { return .fine }
    if let judgement { return judgement.isFine ? .fine : .found }
    if let missingReports { return missingReports.status }
    return plan.source == .demo || watched.tally.counts.isEmpty ? .fine : .found
  }

  /// The error for a file without reports, for which two reasons are possible: the program does not
  /// leak, or its monitor writes to another file. Nil with a baseline, which states which reports
  /// to expect, possibly none.
  var missingReports: CommandError? {
    guard case .file(let path, isFollowed: false) = plan.source, watched.isEmpty,
      plan.baseline == nil, plan.newBaseline == nil
    else { return nil }
    return .failed(
      "\(path.quotedOnOneLine) has no reports: the program does not leak, or its monitor does not "
        + "write to this file; to expect no reports, pass a --baseline without leaks")
  }

  /// The table, the last message of each leak, and the comparison with the baseline.
  func lines(width: Int) -> [String] {
    let messages = watched.leakMessages.map(\.withoutControls)
    let judged = judgement.map { "\($0)".split(separator: "\n").map { String($0).withoutControls } }
    return [WatchTable(watched).lines(width: width), messages, judged ?? []]
      .filter { !$0.isEmpty }.joined(separator: [""]).map { $0 }
  }

  /// Writes the requested files atomically; returns the error if one fails.
  func write() -> CommandError? {
    do throws(LeakFileError) {
      if let path = plan.page { try LeakFile.replace(path, with: LeakPage(watched).html) }
      if let path = plan.newBaseline {
        try LeakBaseline(
          of: watched.tally, reason: "known; explain why", keeping: plan.baseline
        ).write(to: path)
      }
      return nil
    } catch {
      return CommandError(error, allowed: "")
    }
  }
}

extension LeakPage {
  init(_ watched: WatchedLeaks) {
    self.init(
      subjects: watched.rows.map { subject in
        Subject(
          name: subject.name, live: subject.series.last, max: subject.max, leaked: subject.leaked,
          late: subject.late, history: subject.series.samples.map { ($0.seconds, $0.count) })
      },
      summary: WatchTable(watched).summary, messages: watched.leakMessages)
  }
}
