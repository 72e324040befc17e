import BenchmarkCommands
import Charts
import Foundation
import Synchronization
import TerminalIO
import Workloads

/// The results of a command's trials so far and its progress bar; shared with the thread that
/// handles an interruption.
final class TrialJournal<Results: Sendable>: Sendable {
  private struct State {
    var results: Results
    var failures = 0
    var progress: RunProgress
  }

  private let state: Synchronization.Mutex<State>
  /// Writes the report of the results, with the number of failed trials. Returns the status of a
  /// failure to write, and that of the results.
  private let report: @Sendable (Results, Int) -> (failure: ExitStatus?, results: ExitStatus)

  /// Creates a journal of `count` trials.
  init(
    _ results: Results, trials count: Int, estimatedSeconds: Double, drawsProgress: Bool,
    report:
      @escaping @Sendable (Results, _ failures: Int) -> (
        failure: ExitStatus?, results: ExitStatus
      )
  ) {
    self.report = report
    let progress = RunProgress(
      total: count, estimatedSeconds: estimatedSeconds, isDrawn: drawsProgress)
    state = Synchronization.Mutex(State(results: results, progress: progress))
  }

  /// Runs a trial and records its result; a trial that throws is a failure, with a line on standard
  /// error.
  ///
  /// - Parameters:
  ///   - label: The description of the trial.
  ///   - seconds: Its estimated duration.
  ///   - seed: The seed that repeats it.
  ///   - trial: Runs it.
  ///   - record: Adds the result to the others.
  func run<Result>(
    _ label: String, estimatedSeconds seconds: Double, seed: Seed,
    _ trial: () async throws -> Result, record: (Result, inout Results) -> Void
  ) async {
    state.withLock { $0.progress.draw(label) }
    do {
      let result = try await trial()
      state.withLock { state in
        state.progress.finish(estimatedSeconds: seconds)
        record(result, &state.results)
      }
    } catch {
      state.withLock { state in
        state.progress.finish(estimatedSeconds: seconds)
        state.failures += 1
        state.progress.clear()
        Console.note("failed: \(label), seed \(seed): \(error)")
      }
    }
  }

  /// Writes the report, keeps the lock indefinitely, and ends the program.
  func end(as status: ExitStatus) -> Never {
    state.withLock { state -> Never in
      state.progress.clear()
      let written = report(state.results, state.failures)
      // `_exit`, not `exit`: other threads may be in the middle of a trial, and no output is
      // buffered.
      _exit((written.failure ?? (status == .fine ? written.results : status)).rawValue)
    }
  }
}
