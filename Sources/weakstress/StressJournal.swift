import Charts
import Foundation
import StressTesting
import Synchronization
import TerminalIO
import WeakCollections

/// The counts and the progress bar of a stress run. The thread that handles an interruption shares
/// them.
final class StressJournal: Sendable {
  private struct State {
    var rows: [StressTable.Row]
    var lastDrawn = ContinuousClock.now
    /// The violation that is being minimized, for an interruption.
    var pending: Finding?
  }

  private let state: Mutex<State>
  private let plan: StressPlan
  private let drawsProgress: Bool
  private let start = ContinuousClock.now

  init(_ plan: StressPlan, drawsProgress: Bool) {
    self.plan = plan
    self.drawsProgress = drawsProgress
    state = Mutex(
      State(
        rows: plan.cells.map { cell in
          StressTable.Row(
            backend: cell.subject.name, collection: cell.subject.collection, driver: cell.driver)
        }))
  }

  /// Adds the counts of a scenario to the row of a cell.
  func add(_ tally: StressTally, to index: Int) {
    state.withLock { state in
      state.rows[index].tally += tally
      drawProgress(&state, label: state.rows[index])
    }
  }

  /// Keeps a violation that is not minimized yet, which an interruption prints.
  func keep(_ finding: Finding) { state.withLock { $0.pending = finding } }

  /// Draws the progress bar, at most ten times a second.
  private func drawProgress(_ state: inout State, label row: StressTable.Row) {
    guard drawsProgress, ContinuousClock.now - state.lastDrawn > .milliseconds(100) else { return }
    state.lastDrawn = .now
    let total = state.rows.reduce(into: StressTally()) { $0 += $1.tally }
    let elapsed = max(0.001, (ContinuousClock.now - start) / .seconds(1))
    func rate(_ count: Int, _ unit: String) -> String {
      "\(NumberText.rate(Double(count) / elapsed)) \(unit)/s"
    }
    let rates = [
      rate(total.scenarios, "scenarios"), rate(total.operations, "operations"),
      rate(total.histories, "histories"),
    ]
    let bar = ProgressBar(
      done: Int(min(elapsed, plan.seconds)), total: Int(plan.seconds.rounded(.up)),
      secondsLeft: max(0, plan.seconds - elapsed),
      label: rates.joined(separator: "  ")
        + "  \(row.collection.rawValue) \(row.backend) \(row.driver.rawValue)")
    Terminal.draw(bar.text(width: Terminal.width))
  }

  /// Returns the exit status of a run that was not interrupted. A run without a scenario has
  /// failed.
  func status(of finding: Finding?) -> ExitStatus {
    if finding != nil { return .found }
    return plan.replay == nil && scenarioCount == 0 ? .failed : .fine
  }

  private var scenarioCount: Int {
    state.withLock { state in state.rows.reduce(0) { $0 + $1.tally.scenarios } }
  }

  /// Prints the table and the finding, and exits. Never releases the lock, so only one thread does
  /// this.
  func end(_ finding: Finding?, as status: ExitStatus) -> Never {
    state.withLock { state -> Never in
      let finding = finding ?? state.pending
      if drawsProgress { Terminal.clearLine() }
      if plan.replay == nil { Console.print(StressTable(rows: state.rows).text) }
      if let finding { Console.print("\n" + FindingText(finding: finding).text) }
      Console.note(line(finding, status))
      let failure = write(finding, StressTable(rows: state.rows))
      // Not `exit`: threads may hang, and nothing is buffered.
      _exit((finding == nil ? failure ?? status : .found).rawValue)
    }
  }

  private func line(_ finding: Finding?, _ status: ExitStatus) -> String {
    let interrupted = status == .interrupted ? "interrupted; " : ""
    let nothing =
      status == .failed ? "no scenario ran; use a greater --seconds" : "nothing found"
    let found = finding.map { "found: \($0.title)" } ?? nothing
    let seed = plan.replay == nil ? " (--seed \(plan.seed))" : ""
    return interrupted + found + seed
  }

  /// Writes the page and the summary. Returns the status of the first error, or `nil`.
  private func write(_ finding: Finding?, _ table: StressTable) -> ExitStatus? {
    do {
      if let finding, let page = plan.page {
        try OutputFile(opening: page).write(FindingPage(finding).html)
        Console.note("wrote the page \(page.name)")
      }
      if let summary = plan.summary {
        let text = summary.name.hasSuffix(".csv") ? table.csv : table.markdown
        try OutputFile(opening: summary).write(text)
      }
      return nil
    } catch {
      Console.note(error.description)
      return error.status
    }
  }
}

/// Prints the command that repeats the scenario if a signal, such as that of a trap, ends the
/// process. A crash is a finding too.
enum CrashNote {
  /// The capacity of the text; longer texts are truncated.
  private static let capacity = 8192

  /// Installs handlers for the signals of traps and faults.
  static func install() {
    text = .allocate(capacity: capacity)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      signal(number) { _ in
        // Only functions that are safe in a signal handler.
        if textLength > 0 { _ = write(STDERR_FILENO, text, textLength) }
        _exit(ExitStatus.found.rawValue)
      }
    }
  }

  /// Sets the text that a signal prints, until the next call.
  static func expect(_ replay: ReplayString, _ subject: Subject) {
    let line =
      "weakstress: found: \(subject) crashed; repeat it:\n"
      + "  weakstress replay --backend \(subject.name) --collection \(subject.collection.rawValue) "
      + "\(replay.text)\n"
    let bytes = Array(line.utf8.prefix(capacity))
    textLength = 0
    for (index, byte) in bytes.enumerated() { text[index] = byte }
    textLength = bytes.count
  }
}

// Unsafe: `expect` writes both while no scenario runs. A signal handler, which cannot capture
// variables, reads them.
nonisolated(unsafe) private var text = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
nonisolated(unsafe) private var textLength = 0
