import TerminalIO
import Charts
import Foundation
import StressTesting
import Synchronization
import WeakCollections

/// What a stress run has come to; shared with the thread that notices an interruption.
final class StressJournal: Sendable {
  private struct State {
    var rows: [StressTable.Row]
    var lastDrawn = ContinuousClock.now
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

  func add(_ tally: StressTally, to index: Int) {
    state.withLock { state in
      state.rows[index].tally += tally
      drawProgress(&state, label: state.rows[index])
    }
  }

  /// Ten times a second.
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

  /// Shows what there is, keeps everybody else out for ever, and ends the program.
  func end(_ finding: Finding?, as status: ExitStatus) -> Never {
    state.withLock { state -> Never in
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
    let found = finding.map { "found: \($0.title)" } ?? "nothing found"
    let seed = plan.replay == nil ? " (--seed \(plan.seed))" : ""
    return interrupted + found + seed
  }

  /// Writes the page and the summary; nil if all went well.
  private func write(_ finding: Finding?, _ table: StressTable) -> ExitStatus? {
    do {
      if let finding, let page = plan.page {
        try OutputFile(opening: page).write(FindingPage(finding).html)
        Console.note("\(page.name) shows it")
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
