import BenchmarkCommands
import TerminalIO
import Benchmarking
import Foundation
import Measurements
import Synchronization

/// What a run of `limits` has come to; shared with the thread that notices an interruption.
final class LimitsJournal: Sendable {
  private struct State {
    var trials = FigureTrials()
    var failures = 0
    var timeLeft: TimeLeft
  }

  private let state: Mutex<State>
  private let plan: LimitsPlan
  private let drawsProgress: Bool
  private let start = ContinuousClock.now
  private let loadBefore: Double?

  init(_ plan: LimitsPlan, loadBefore: Double?, drawsProgress: Bool) {
    self.plan = plan
    self.loadBefore = loadBefore
    self.drawsProgress = drawsProgress
    state = Mutex(State(timeLeft: TimeLeft(estimatedSeconds: plan.estimatedSeconds)))
  }

  /// Draws the progress bar; nothing is drawn while a trial runs.
  func begin(_ trial: LimitsPlan.Trial, after done: Int) {
    guard drawsProgress else { return }
    state.withLock { state in
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      let bar = ProgressBar(
        done: done, total: plan.trials.count,
        secondsLeft: state.timeLeft.seconds(afterElapsed: elapsed), label: trial.probe.label)
      Terminal.draw(bar.text(width: Terminal.width))
    }
  }

  func finish(_ trial: LimitsPlan.Trial, _ values: [Figure: Double]) {
    state.withLock { state in
      state.timeLeft.finish(estimatedSeconds: trial.probe.estimatedSeconds)
      for (figure, value) in values { state.trials.add(value, to: figure) }
    }
  }

  /// Says what went wrong; a failed trial gives no figure.
  func fail(_ trial: LimitsPlan.Trial, _ message: String) {
    state.withLock { state in
      state.timeLeft.finish(estimatedSeconds: trial.probe.estimatedSeconds)
      state.failures += 1
      if drawsProgress { Terminal.clearLine() }
      Console.note("failed: \(trial.probe.label), seed \(plan.seed): \(message)")
    }
  }

  /// Writes what there is, keeps everybody else out for ever, and ends the program.
  func end(as status: ExitStatus) -> Never {
    state.withLock { state -> Never in
      if drawsProgress { Terminal.clearLine() }
      let report = LimitsReport(plan, state.trials, loadBefore: loadBefore)
      let written = write(report)
      Console.note(report.summary(failures: state.failures))
      let found = report.status(failures: state.failures)
      // Not `exit`: other threads may be in the middle of a trial, and nothing is buffered.
      _exit((written ?? (status == .fine ? found : status)).rawValue)
    }
  }

  /// nil if all went well.
  private func write(_ report: LimitsReport) -> ExitStatus? {
    do {
      try OutputFile(opening: plan.output).write(report.text)
      return nil
    } catch {
      Console.note(error.description)
      return error.status
    }
  }
}
