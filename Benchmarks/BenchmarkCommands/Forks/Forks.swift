import TerminalIO
import Benchmarking
import Foundation

/// The processes that the trials of a run are spread over. One trial is made at a time; the others wait.
///
/// Each lives from its first trial to its last. One that ends before is a failed trial, and its next
/// trial gets another process under the same number.
package final class Forks {
  private let program: String
  private var processes: [Int: ForkedProcess] = [:]
  private var trialsLeft: [Int: Int]

  /// Starts the first, so that a system that starts none is noticed before anything is measured.
  package init(
    for trials: [TrialSpecification], program: String = ForkedProcess.thisProgram
  ) throws(CommandError) {
    self.program = program
    trialsLeft = Dictionary(grouping: trials, by: \.fork).mapValues(\.count)
    // A process that has ended is noticed by the answer that does not come.
    signal(SIGPIPE, SIG_IGN)
    if let first = trials.first { _ = try process(first.fork) }
  }

  /// Has the trial made by its process, and waits for that.
  package func run(_ trial: TrialSpecification) throws(TrialFailure) -> TrialResult {
    func failure(_ reason: String) -> TrialFailure {
      TrialFailure(specification: trial, reason: reason)
    }
    let process: ForkedProcess
    do { process = try self.process(trial.fork) } catch { throw failure(error.description) }
    guard let line = process.answer(to: ForkLine.text(trial)) else {
      processes[trial.fork] = nil
      throw failure(process.ending())
    }
    finish(trial)
    switch ForkLine.value(ForkAnswer.self, in: line) {
    case .result(let result): return result
    case .failure(let reason): throw failure(reason)
    case nil: throw failure("its process answered \(line.quotedOnOneLine)")
    }
  }

  private func process(_ fork: Int) throws(CommandError) -> ForkedProcess {
    if let process = processes[fork] { return process }
    let process = try ForkedProcess(program, ["fork"])
    processes[fork] = process
    return process
  }

  /// Ends the process after its last trial.
  private func finish(_ trial: TrialSpecification) {
    trialsLeft[trial.fork, default: 1] -= 1
    if trialsLeft[trial.fork, default: 0] <= 0 { processes[trial.fork] = nil }
  }
}
