import BenchmarkCommands
import Benchmarking
import Charts
import Foundation
import Measurements
import Primitives
import Reporting
import SeededRandom
import Synchronization
import TerminalIO
import WeakCollections
import Workloads

/// Runs the trials of a plan and writes the row of each as soon as it is measured.
struct MeasuringRun {
  let plan: RunPlan
  let environment: Measurement.Environment
  let destination: OutputDestination
  var roles: OutputDestination?
  var histograms: OutputFolder?
  let drawsProgress: Bool

  /// Runs the plan and ends the program, also when it is interrupted.
  ///
  /// - Parameters:
  ///   - start: The start of the run, for its name.
  ///   - end: A function that ends the program.
  func run(
    from start: UTCTime,
    end: @escaping @Sendable (RunOutcome, ExitStatus) -> Never
  ) async throws -> Never {
    var generator = SplitMix64.drawn()
    let template = RowTemplate(
      run: RowTemplate.runName(at: start, using: &generator), environment: environment)
    let journal = RunJournal(
      plan, template: template,
      sink: try RowSink(opening: destination, roles: roles, parts: plan.parts),
      histograms: histograms, drawsProgress: drawsProgress)
    Interruption.observe { journal.close { end($0, .interrupted) } }

    do {
      let isOneProcess = plan.sessions == 1 && plan.extraSeconds == 0
      let processes = try isOneProcess ? nil : SessionProcesses(for: plan.trials)
      try await Self.makeTrials(of: plan, journal, expecting: { processes?.expect($0) }) {
        trial throws(TrialFailure) in
        if let processes { try processes.run(trial) } else { try await trial.run() }
      }
    } catch {
      Console.note(error.description)
      journal.close { end($0, .failed) }
    }
    journal.close { end($0, $0.failures == 0 ? .fine : .found) }
  }

  /// Runs the trials of the plan, then those of further sessions of undecided comparisons. A failed
  /// trial is reported, and a row that cannot be written ends the run.
  ///
  /// - Parameters:
  ///   - expect: Gets the trials of a further session before they run.
  ///   - run: Runs a trial.
  static func makeTrials(
    of plan: RunPlan, _ journal: RunJournal, expecting expect: ([TrialSpecification]) -> Void,
    by run: (TrialSpecification) async throws(TrialFailure) -> TrialResult
  ) async throws(CommandError) {
    try await makeTrials(plan.trials, of: plan, journal, by: run)
    let end = ContinuousClock.now + .seconds(plan.extraSeconds)
    for session in (plan.sessions + 1)... {
      let trials = plan.trials(
        ofExtraSession: session, after: journal.rows,
        within: (end - .now) / .seconds(1) - plan.pauseSeconds)
      if trials.isEmpty { return }
      expect(trials)
      journal.expect(trials)
      await pause(plan, journal)
      try await makeTrials(trials, of: plan, journal, by: run)
    }
  }

  /// Runs the trials one by one, with a pause between two sessions.
  private static func makeTrials(
    _ trials: [TrialSpecification], of plan: RunPlan, _ journal: RunJournal,
    by run: (TrialSpecification) async throws(TrialFailure) -> TrialResult
  ) async throws(CommandError) {
    for (place, trial) in trials.enumerated() {
      if place > 0, trials[place - 1].session != trial.session { await pause(plan, journal) }
      journal.begin(trial)
      let result: TrialResult
      do {
        result = try await run(trial)
      } catch {
        journal.fail(error)
        continue
      }
      try journal.finish(trial, result)
    }
  }

  private static func pause(_ plan: RunPlan, _ journal: RunJournal) async {
    try? await Task.sleep(for: .seconds(plan.pauseSeconds))
    journal.finishPause()
  }
}

/// The rows and failures of a run so far, and its progress bar.
///
/// Shared by the thread that runs the trials and the one that handles an interruption.
final class RunJournal: Sendable {
  /// The shared state, protected by a mutex.
  private struct State {
    var sink: RowSink
    var rows: [Measurement] = []
    var failures = 0
    /// The number of trials of further sessions.
    var extraTrials = 0
    var timeLeft: TimeLeft
  }

  private let state: Synchronization.Mutex<State>
  private let template: RowTemplate
  private let plan: RunPlan
  /// The folder for the latencies of each row, or `nil` for none.
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
    state = Synchronization.Mutex(
      State(
        sink: sink,
        timeLeft: TimeLeft(estimatedSeconds: plan.estimatedSeconds)))
  }

  /// The rows so far.
  var rows: [Measurement] { state.withLock { $0.rows } }

  /// Counts the trials of a further session.
  func expect(_ trials: [TrialSpecification]) {
    state.withLock { $0.extraTrials += trials.count }
  }

  /// The number of failed trials so far.
  var failures: Int { state.withLock { $0.failures } }

  /// Draws the progress bar; nothing is drawn while a trial runs.
  func begin(_ trial: TrialSpecification) {
    guard drawsProgress else { return }
    state.withLock { state in
      let elapsed = (ContinuousClock.now - start) / .seconds(1)
      let bar = ProgressBar(
        done: state.rows.count + state.failures, total: plan.trials.count + state.extraTrials,
        secondsLeft: state.timeLeft.seconds(afterElapsed: elapsed), label: trial.label)
      Terminal.draw(bar.text(width: Terminal.width))
    }
  }

  /// Counts the pause between two sessions.
  func finishPause() {
    state.withLock { $0.timeLeft.finish(estimatedSeconds: plan.pauseSeconds) }
  }

  /// Writes the row.
  func finish(_ trial: TrialSpecification, _ result: TrialResult) throws(CommandError) {
    try state.withLock { state throws(CommandError) in
      state.timeLeft.finish(estimatedSeconds: trial.estimatedSeconds)
      let row = template.measurement(
        number: state.rows.count + 1, trial, result, at: .now)
      if let column = state.sink.invalidColumn(in: row) {
        return fail(
          "\(trial.label), seed \(trial.seed): the value of '\(column)' cannot be written as CSV, "
            + "so the trial has no row", &state)
      }
      try histograms?.write(result.distributions, ofRow: row.identity.row)
      try state.sink.append(row)
      state.rows.append(row)
    }
  }

  /// Reports a failed trial, which has no row.
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

  /// Calls `body` and keeps the lock indefinitely, so that no row follows the last table.
  func close(_ body: (RunOutcome) -> Never) -> Never {
    state.withLock { state -> Never in
      if drawsProgress { Terminal.clearLine() }
      body(
        RunOutcome(
          rows: state.rows, failures: state.failures, extraTrials: state.extraTrials))
    }
  }
}

/// What a run has measured when it ends.
struct RunOutcome: Sendable {
  var rows: [Measurement] = []
  /// The number of failed trials.
  var failures = 0
  /// The number of trials that the plan did not have: those of further sessions.
  var extraTrials = 0
}

/// The files of the rows. A row is written completely or not at all, even if the program is killed.
struct RowSink: Sendable {
  private var rows: ResultsOutput<MeasurementWriter>
  /// The file of the roles, or `nil` if workers have none.
  private var roles: ResultsOutput<RoleWriter>?

  /// Opens the destinations for rows with the parts, and writes the headers unless the files have
  /// rows already.
  init(
    opening destination: OutputDestination, roles: OutputDestination? = nil,
    parts: Set<MeasurementCSV.Part>
  ) throws(CommandError) {
    rows = try ResultsOutput(opening: destination, parts: parts)
    self.roles = try roles.map { roles throws(CommandError) in
      try ResultsOutput(opening: roles, parts: parts)
    }
  }

  /// The first column whose value cannot be written.
  func invalidColumn(in measurement: Measurement) -> String? {
    rows.writer.invalidColumn(in: measurement) ?? roles?.writer.invalidColumn(in: measurement)
  }

  mutating func append(_ measurement: Measurement) throws(CommandError) {
    // The roles first, so that a reader that sees the trial's row also sees its roles.
    try roles?.append(measurement)
    try rows.append(measurement)
  }
}

/// An open file and the writer of its text.
private struct ResultsOutput<Writer: ResultsWriter>: Sendable {
  private let file: OutputFile
  private(set) var writer: Writer

  init(
    opening destination: OutputDestination, parts: Set<MeasurementCSV.Part>
  ) throws(CommandError) {
    file = try OutputFile(opening: destination)
    if file.isEmpty {
      writer = Writer(parts: parts)
      try file.write(writer.header)
    } else {
      writer = try OutputDestination.writer(appendingTo: destination.name, parts: parts)
    }
  }

  mutating func append(_ measurement: Measurement) throws(CommandError) {
    try file.write(writer.lines(for: measurement))
  }
}

/// The end of a run: prints the table, writes the page and exits.
struct RunEnding: Sendable {
  /// The number of planned trials.
  let total: Int
  let destination: OutputDestination
  /// The destination of the report, or `nil` for none.
  let page: OutputDestination?
  let isQuick: Bool
  let details: Bool

  func exit(_ outcome: RunOutcome, as status: ExitStatus) -> Never {
    let rows = outcome.rows
    let table = Tables.text(of: rows, isQuick: isQuick, details: details)
    if !table.isEmpty {
      // A table in the stream of rows would damage the CSV.
      if destination == .standardOutput {
        Console.writeError(table + "\n")
      } else {
        Console.print(table)
      }
    }
    Console.note(line(outcome, status))
    let isReported = report(rows)
    // Not `exit`: other threads may be in the middle of a trial, and nothing is buffered.
    _exit((status == .fine && !isReported ? .failed : status).rawValue)
  }

  /// Writes the page of all rows in the file; on failure, reports the error and returns `false`.
  private func report(_ rows: [Measurement]) -> Bool {
    guard let page, !rows.isEmpty else { return true }
    do {
      var all = rows
      if case .appending(let path) = destination { all = try ResultsFile.rows(in: path) }
      try BenchmarkReport(ofOurs: all).write(to: page, rows: all.count)
      return true
    } catch {
      Console.note(error.description)
      return false
    }
  }

  func line(_ outcome: RunOutcome, _ status: ExitStatus) -> String {
    let (rows, total) = (outcome.rows.count, total + outcome.extraTrials)
    let failures = outcome.failures
    let failed = failures == 0 ? "" : ", \(NumberText.count(failures)) failed"
    let interrupted = status == .interrupted ? "interrupted; " : ""
    let all = NumberText.count(total)
    let counts =
      rows == total
      ? (total == 1 ? "1 trial passed" : "\(all) trials, all passed")
      : "\(NumberText.count(rows)) of \(all) trials passed\(failed)"
    return "\(interrupted)\(counts); rows: \(destination.name)"
  }
}
