import Interleaving
import Linearizability
import Primitives
import SeededRandom
import Synchronization
import Threading

/// What a stress test tests: a subject, its operations and the check of its histories.
struct StressTest<Subject: Sendable>: Sendable {
  typealias Verdict = ExecutionVerdict<CallRecording>

  let bodies: [CallBody<Subject>]
  let names: CallNames
  let notes: CallNotes
  let makeSubject: @Sendable () -> Subject
  let options: StressOptions
  let place: String
  let check: @Sendable (CallRecording) -> Verdict
  /// Returns the reason why the model is no value, found by applying sequences of calls.
  var modelDefect: @Sendable ([[PlannedCall]], CallNames) -> String? = { _, _ in nil }

  init<Model>(
    _ operations: [StressOperation<Subject, Model>], makeSubject: @escaping @Sendable () -> Subject,
    options: StressOptions, place: String, check: @escaping @Sendable (CallRecording) -> Verdict
  ) {
    bodies = operations.map(\.body)
    names = CallNames(operations)
    notes = CallNotes(names)
    self.makeSubject = makeSubject
    self.options = options
    self.place = place
    self.check = check
  }

  /// Whether no operation suspends. Schedules need such a subject.
  var isSynchronous: Bool {
    bodies.allSatisfy { if case .synchronous = $0 { true } else { false } }
  }

  /// The reason why this build has no scheduler for the operations; `nil` if it has one.
  var whyNoSchedules: String? {
    if isSynchronous { return Exploration.isAvailable ? nil : StressSettings.needsTrait }
    return Exploration.canRunTasks
      ? nil : "schedules of operations that suspend need the hooks of Swift's concurrency runtime"
  }
}

/// A violation of a scenario, and the replay string if there is one.
struct CallFinding: Sendable {
  var kind: StressFailure.Kind
  var scenario: CallScenario
  var violation: ExecutionViolation<CallRecording>
  var run: ReplayText.Run?
}

extension StressTest {
  /// Returns the failure that a finding is.
  func failure(_ finding: CallFinding, seed: UInt64) -> StressFailure {
    var failure = StressFailure(finding.kind, finding.violation.summary, seed: seed)
    failure.place = place
    failure.replay = finding.run.map { replayText(of: finding.scenario, $0).text }
    failure.details = CallReport(finding, names: names).lines
    return failure
  }

  static var replayVersion: String { "st1" }

  private func replayText(of scenario: CallScenario, _ run: ReplayText.Run) -> ReplayText {
    ReplayText(
      version: Self.replayVersion, scenario: [names.fingerprint, scenario.text], run: run)
  }
}

/// The lines of a report below its summary.
struct CallReport {
  private let finding: CallFinding
  private let names: CallNames

  init(_ finding: CallFinding, names: CallNames) {
    self.finding = finding
    self.names = names
  }

  var lines: [String] {
    let violation = finding.violation
    let explanation =
      violation.recording.flatMap { recording in
        violation.partialLinearization?.explanation(of: recording)
      } ?? []
    return [table, explanation, violation.scheduleLines].flatMap { $0.isEmpty ? [] : [""] + $0 }
  }

  private var entries: [Timeline.Entry] {
    if let recording = finding.violation.recording { return recording.entries }
    return finding.violation.trace.isEmpty ? planned : noted
  }

  /// The calls and returns in the trace.
  private var noted: [Timeline.Entry] {
    var entries: [Timeline.Entry] = []
    var open: [Int: Int] = [:]
    for (stamp, line) in finding.violation.trace.enumerated() where line.isNote {
      if line.text != CallNotes.returnText {
        open[line.thread] = entries.count
        entries.append(
          Timeline.Entry(lane: line.thread, call: UInt64(stamp), return: nil, input: line.text))
      } else if let index = open.removeValue(forKey: line.thread) {
        entries[index].return = UInt64(stamp)
        entries[index].output = ""
      }
    }
    return entries
  }

  /// The calls of the scenario, without the order in which they happened.
  private var planned: [Timeline.Entry] {
    finding.scenario.lanes.enumerated().flatMap { lane, calls in
      calls.enumerated().map { index, call in
        Timeline.Entry(
          lane: lane, call: UInt64(2 * index), return: UInt64(2 * index + 1),
          input: names.text(of: call), output: "")
      }
    }
  }

  private var table: [String] {
    Timeline(
      entries, lanes: finding.scenario.laneNames, order: finding.violation.partialLinearization
    ).table
  }

  /// The calls that had begun and not returned at the end of a trace.
  static func pendingCalls(in trace: [TraceLine]) -> [String] {
    var open: [Int: String] = [:]
    for line in trace where line.isNote {
      open[line.thread] = line.text == CallNotes.returnText ? nil : line.text
    }
    return open.sorted { $0.key < $1.key }.map { "\($1) in thread \($0)" }
  }
}
