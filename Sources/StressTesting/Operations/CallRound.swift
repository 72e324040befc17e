import Interleaving
import Linearizability
import Synchronization
import Threading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// A call with its stamps and its result.
struct CallRecord: Hashable, Sendable, StampedOperation {
  /// The number of the thread; one more than the last thread's for the calls before and after.
  var lane: Int
  var planned: PlannedCall
  var call: UInt64
  var `return`: UInt64?
  var result: CallResult?
}

/// The observable behavior of one execution of a scenario.
struct CallRecording: ExecutionRecording {
  var calls: [CallRecord]
  let names: CallNames

  static func == (left: CallRecording, right: CallRecording) -> Bool { left.calls == right.calls }

  func hash(into hasher: inout Hasher) { hasher.combine(calls) }

  func name(of operation: Int?) -> String {
    guard let operation else { return "at rest" }
    return entries[operation].description
  }

  /// The calls as a report shows them.
  var entries: [Timeline.Entry] {
    calls.map {
      Timeline.Entry(
        lane: $0.lane, call: $0.call, return: $0.return, input: names.text(of: $0.planned),
        output: $0.result?.text)
    }
  }

  /// The calls as a history.
  var history: DerivedHistory<PlannedCall, CallResult> {
    var history = DerivedHistory<PlannedCall, CallResult>()
    for (index, call) in calls.enumerated() {
      history.add(
        Operation(
          worker: call.lane, call: call.call, return: call.return, input: call.planned,
          output: call.result), from: index)
    }
    return history
  }
}

/// Texts for the trace of an execution, one for each call, and the text of a return. They are never
/// freed, because a trace refers to them, perhaps in another process.
// @unchecked: immutable.
struct CallNotes: @unchecked Sendable {
  private let calls: [[UnsafePointer<CChar>]]
  let returns: UnsafePointer<CChar>

  static let returnText = "returns"

  init(_ names: CallNames) {
    calls = names.argumentCounts.enumerated().map { operation, count in
      (0..<count).map { argument in
        let call = PlannedCall(operation: operation, argument: argument)
        return Self.permanent(names.text(of: call))
      }
    }
    returns = Self.permanent(Self.returnText)
  }

  /// The texts of all tests, so that equal ones exist once.
  private static let texts = Monitor<[String: UInt]>([:])

  private static func permanent(_ text: String) -> UnsafePointer<CChar> {
    let address = texts.change { texts in
      let address = texts[text] ?? UInt(bitPattern: strdup(text)!)
      texts[text] = address
      return address
    }
    return UnsafePointer(bitPattern: address)!
  }

  subscript(call: PlannedCall) -> UnsafePointer<CChar> { calls[call.operation][call.argument] }
}

/// One execution of a scenario: a subject and the records of its calls.
final class CallRound<Subject: Sendable>: Sendable {
  /// The records of a thread's calls.
  private final class Lane: Sendable {
    let notes: Notes<CallResult>
    /// Twice the number of finished calls, plus 1 during a call. Other threads read it while the
    /// lane runs, to find calls that do not return.
    let position = Synchronization.Atomic<Int>(0)

    init(count: Int) { notes = Notes(count: count) }
  }

  private let scenario: CallScenario
  private let operations: [CallBody<Subject>]
  private let names: CallNames
  private let notes: CallNotes
  private let stamps: StampSource
  private let fencesCalls: Bool
  private let subject: Subject
  private let lanes: [Lane]

  init(_ scenario: CallScenario, of test: StressTest<Subject>, stamps: StampSource) {
    self.scenario = scenario
    operations = test.bodies
    names = test.names
    notes = test.notes
    self.stamps = stamps
    fencesCalls = test.options.fencesCalls
    lanes = scenario.lanes.map { Lane(count: $0.count) }
    subject = test.makeSubject()
  }

  private var lastLane: Int { scenario.threads.count }

  // MARK: Operations that do not suspend

  func runBefore() { run(scenario.before, lane: lastLane, from: 0) }
  func run(_ thread: Int) { run(scenario.threads[thread], lane: thread, from: 0) }
  func runAfter() { run(scenario.after, lane: lastLane, from: scenario.before.count) }

  private func run(_ calls: [PlannedCall], lane: Int, from first: Int) {
    for (index, call) in calls.enumerated() {
      guard case .synchronous(let body) = operations[call.operation] else {
        fatalError("a suspending operation ran on a thread; this is a bug in StressTesting")
      }
      let records = lanes[lane]
      begin(records, call)
      records.notes.record(
        first + index, stamps,
        {
          // A fenced call misses no store of an earlier call, leaves none in a buffer, and reads
          // none of a later call.
          #if Interleaving
            if fencesCalls { Execution.current?.refreshLoads() }
          #endif
          let result = body(subject, call.argument)
          #if Interleaving
            if fencesCalls {
              Execution.current?.drainStores()
              Execution.current?.endLoads()
            }
          #endif
          return result
        }, answer: { $0 })
      end(records)
    }
  }

  // MARK: Operations that may suspend

  func runBefore() async { await run(scenario.before, lane: lastLane, from: 0) }
  func run(_ thread: Int) async { await run(scenario.threads[thread], lane: thread, from: 0) }
  func runAfter() async { await run(scenario.after, lane: lastLane, from: scenario.before.count) }

  private func run(_ calls: [PlannedCall], lane: Int, from first: Int) async {
    for (index, call) in calls.enumerated() {
      let records = lanes[lane]
      begin(records, call)
      await records.notes.record(
        first + index, stamps,
        {
          switch operations[call.operation] {
          case .synchronous(let body): body(subject, call.argument)
          case .suspending(let body): await body(subject, call.argument)
          }
        }, answer: { $0 })
      end(records)
    }
  }

  // Relaxed, all three: the positions only serve reports of calls that did not return.

  private func begin(_ lane: Lane, _ call: PlannedCall) {
    lane.position.wrappingAdd(1, ordering: .relaxed)
    note(notes[call])
  }

  private func end(_ lane: Lane) {
    note(notes.returns)
    lane.position.wrappingAdd(1, ordering: .relaxed)
  }

  /// Adds a line to the trace of the execution, if there is one.
  private func note(_ text: UnsafePointer<CChar>) {
    #if Interleaving
      Execution.current?.note(text)
    #endif
    Exploration.noteInTask(text)
  }

  /// A number that grows with every call and every return.
  var progress: Int { lanes.reduce(0) { $0 + $1.position.load(ordering: .relaxed) } }

  // MARK: Results

  /// The calls that have not returned, each with its place.
  var pendingCalls: [String] {
    scenario.lanes.enumerated().compactMap { number, calls in
      let position = lanes[number].position.load(ordering: .relaxed)
      guard position % 2 == 1 else { return nil }
      let text = names.text(of: calls[position / 2])
      return number < lastLane ? "\(text) in thread \(number)" : text
    }
  }

  /// The recording, after all calls have returned.
  var recording: CallRecording {
    let calls = scenario.lanes.enumerated().flatMap { number, calls in
      calls.enumerated().compactMap { index, planned -> CallRecord? in
        let note = lanes[number].notes[index]
        return note.call.map {
          CallRecord(
            lane: number, planned: planned, call: $0, return: note.return, result: note.answer)
        }
      }
    }
    return CallRecording(calls: calls.withDistinctStamps, names: names)
  }
}

extension CallScenario {
  /// The names of the lanes in a report.
  var laneNames: [String] {
    threads.indices.map { "thread \($0)" } + (before + after == [] ? [] : ["before and after"])
  }
}
