import BenchmarkCommands
import TerminalIO
import Benchmarking
import Foundation
import Measurements
import Synchronization

/// What a soak has come to; shared with the thread that notices an interruption.
final class SoakJournal: Sendable {
  private struct State {
    var series: [SoakSeries]
    var failures = 0
  }

  private let state: Mutex<State>
  private let plan: SoakPlan
  private let destination: OutputDestination?
  private let drawsProgress: Bool
  private let start = ContinuousClock.now

  init(_ plan: SoakPlan, _ destination: OutputDestination?, drawsProgress: Bool) {
    self.plan = plan
    self.destination = destination
    self.drawsProgress = drawsProgress
    state = Mutex(State(series: plan.specifications.map { _ in SoakSeries() }))
  }

  var isTimeUp: Bool { elapsed >= plan.seconds }

  private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

  func add(_ sample: SoakSeries.Sample, to index: Int) {
    state.withLock { $0.series[index].append(sample) }
  }

  func fail(_ index: Int, _ reason: String) {
    state.withLock { $0.failures += 1 }
    if drawsProgress { Terminal.clearLine() }
    Console.note("failed: \(plan.specifications[index].label), seed \(plan.seed): \(reason)")
  }

  func drawProgress(_ next: TrialSpecification) {
    guard drawsProgress else { return }
    let bar = ProgressBar(
      done: Int(min(elapsed, plan.seconds)), total: Int(plan.seconds.rounded(.up)),
      secondsLeft: max(0, plan.seconds - elapsed), label: next.label)
    Terminal.draw(bar.text(width: Terminal.width))
  }

  /// Shows what there is, keeps everybody else out for ever, and ends the program.
  func end(as status: ExitStatus) -> Never {
    state.withLock { state -> Never in
      if drawsProgress { Terminal.clearLine() }
      let report = SoakReport(plan.specifications, state.series)
      // Rows and a table on one stream would be neither.
      if destination == .standardOutput {
        Console.writeError(report.table + "\n")
      } else {
        Console.print(report.table)
      }
      let written = write(report)
      let found = state.failures > 0 ? .found : report.status
      // Not `exit`: other threads may be in the middle of a turn, and nothing is buffered.
      _exit((written ?? (status == .fine ? found : status)).rawValue)
    }
  }

  /// Writes the samples; nil if all went well.
  private func write(_ report: SoakReport) -> ExitStatus? {
    guard let destination else { return nil }
    do {
      try OutputFile(opening: destination).write(report.csv)
      return nil
    } catch {
      Console.note(error.description)
      return error.status
    }
  }
}
