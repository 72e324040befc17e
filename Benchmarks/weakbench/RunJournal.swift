import BenchmarkCommands
import TerminalIO
import Benchmarking
import Measurements
import Synchronization
import WeakCollections
import Workloads

/// What a run has come to: its rows and failures, and what the terminal shows of them.
///
/// The thread that notices an interruption and the one that makes the trials share it.
final class RunJournal: Sendable {
  /// What one of the threads may do at a time.
  private struct State {
    let sink: RowSink
    var rows: [Measurement] = []
    var failures = 0
    var timeLeft: TimeLeft
  }

  private let state: Mutex<State>
  private let template: RowTemplate
  private let plan: RunPlan
  /// Takes the latencies of each row, if they are wanted.
  private let histograms: OutputFolder?
  private let drawsProgress: Bool
  private let start = ContinuousClock.now

  init(
    _ plan: RunPlan, template: RowTemplate, sink: RowSink,
    histograms: OutputFolder? = nil, drawsProgress: Bool
  ) {
    self.plan = plan
    self.template = template
    self.histograms = histograms
    self.drawsProgress = drawsProgress
    state = Mutex(
      State(sink: sink, timeLeft: TimeLeft(estimatedSeconds: plan.estimatedSeconds)))
  }

  /// How many trials have failed so far.
  var failures: Int { state.withLock { $0.failures } }

  /// Draws the progress bar; nothing is drawn while a trial runs.
  func begin(_ trial: TrialSpecification, after done: Int) {
    guard drawsProgress else { return }
    state.withLock { state in
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      let bar = ProgressBar(
        done: done, total: plan.trials.count,
        secondsLeft: state.timeLeft.seconds(afterElapsed: elapsed), label: trial.label)
      Terminal.draw(bar.text(width: Terminal.width))
    }
  }

  /// Writes the row.
  func finish(_ trial: TrialSpecification, _ result: TrialResult) throws(CommandError) {
    try state.withLock { state throws(CommandError) in
      state.timeLeft.finish(estimatedSeconds: trial.estimatedSeconds)
      let row = template.measurement(
        number: state.rows.count + 1, trial, result, at: .now)
      if let column = MeasurementCSV.invalidColumn(in: row) ?? RoleCSV.invalidColumn(in: row) {
        return fail("\(trial.label), seed \(trial.seed): '\(column)' makes no sense", &state)
      }
      try histograms?.write(result.distributions, ofRow: row.identity.row)
      try state.sink.append(row)
      state.rows.append(row)
    }
  }

  /// Says what went wrong; a failed trial is no row.
  func fail(_ failure: TrialFailure) {
    state.withLock { state in
      state.timeLeft.finish(estimatedSeconds: failure.specification.estimatedSeconds)
      fail("\(failure)", &state)
    }
  }

  private func fail(_ message: String, _ state: inout State) {
    state.failures += 1
    if drawsProgress { Terminal.clearLine() }
    Console.note("failed: \(message)")
  }

  /// Hands over what there is and keeps everybody else out for ever: no row follows the last table.
  func close(_ body: (_ rows: [Measurement], _ failures: Int) -> Never) -> Never {
    state.withLock { state -> Never in
      if drawsProgress { Terminal.clearLine() }
      body(state.rows, state.failures)
    }
  }
}
