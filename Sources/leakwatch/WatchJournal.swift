import TerminalIO
import Foundation
import LeakMonitoring
import Synchronization

/// What a monitor has come to; shared with the thread that notices an interruption, and those that report.
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

  /// Shows what there is, keeps everybody else out for ever, and ends the program.
  func end(as ending: CommandError? = nil, interrupted: Bool = false) -> Never {
    state.withLock { state -> Never in
      if draws { Console.writeError(state.screen.clear()) }
      let report = WatchEnding(plan, state.watched)
      report.lines(width: Terminal.width).forEach(Console.print)
      let failure = report.write() ?? ending
      if let failure { Console.note(failure.description) }
      let status = failure?.status ?? (interrupted ? .interrupted : report.status)
      // Not `exit`: other threads may be in the middle of a report, and nothing is buffered.
      _exit(status.rawValue)
    }
  }
}
