import Interleaving
import Linearizability
import WeakCollections

/// The operations that one execution recorded.
package protocol ExecutionRecording: Hashable, Sendable {
  /// Returns the text of an operation with its result; `nil` stands for the final snapshot.
  func name(of operation: Int?) -> String
}

extension Recording: ExecutionRecording {}

/// The verdict of a check on one execution.
package enum ExecutionVerdict<Recorded: ExecutionRecording>: Sendable {
  case fine
  case violation(ExecutionViolation<Recorded>)
  /// The search for a linearization reached its time limit.
  case undecided
}

/// The verdict on a recording of a collection.
package typealias RecordingVerdict = ExecutionVerdict<Recording>

/// Checks recordings of one scenario against the promises of its collection.
package struct RecordingCheck: Sendable {
  private let scenario: Scenario
  private let isFenced: Bool
  private let timeLimit: Duration?

  /// - Parameters:
  ///   - isFenced: Whether each stamp is taken between fences, as on real threads; see
  ///     `CountBounds`.
  ///   - timeLimit: The limit for one search; `nil` for no limit.
  package init(
    _ scenario: Scenario, isFenced: Bool = true, timeLimit: Duration? = .seconds(2)
  ) {
    self.scenario = scenario
    self.isFenced = isFenced
    self.timeLimit = timeLimit
  }

  /// Returns the verdict on a recording of the scenario.
  package func verdict(on recording: Recording) -> RecordingVerdict {
    let verdict =
      switch scenario.collection {
      case .dictionary:
        DictionaryCheck(scenario, isFenced: isFenced, timeLimit: timeLimit)
          .verdict(on: recording)
      case .weakSet:
        WeakSetCheck(scenario, isFenced: isFenced, timeLimit: timeLimit).verdict(on: recording)
      case .weakArray: WeakArrayCheck(timeLimit: timeLimit).verdict(on: recording)
      }
    if case .violation = verdict { return verdict }
    guard var violation = recording.aftermath.violation else { return verdict }
    violation.recording = recording
    return .violation(violation)
  }
}

extension Recording {
  /// A stamp after every operation.
  var end: UInt64 {
    1 + operations.reduce(0) { max($0, $1.call, $1.return ?? 0) }
  }
}

/// A check with a cache of the recordings in which it found no violation.
// @unchecked: only the thread of the managed scheduler uses it.
final class MemoizedCheck<Recorded: ExecutionRecording>: @unchecked Sendable {
  private let verdict: @Sendable (Recorded) -> ExecutionVerdict<Recorded>
  private var fine: Set<Recorded> = []
  private let capacity = 100_000

  init(_ verdict: @escaping @Sendable (Recorded) -> ExecutionVerdict<Recorded>) {
    self.verdict = verdict
  }

  /// Returns the violation in a recording; `nil` if there is none or the check reaches its limit.
  func violation(in recording: Recorded) -> ExecutionViolation<Recorded>? {
    if fine.contains(recording) { return nil }
    if case .violation(let violation) = verdict(recording) { return violation }
    if fine.count < capacity { fine.insert(recording) }
    return nil
  }
}

/// The kind of a violation.
package enum ViolationKind: String, Sendable {
  case notLinearizable = "not linearizable"
  case wrongCount = "wrong count"
  case notConserved = "not conserved"
  /// Some threads did not end.
  case hang = "hang"
  /// A failure that the managed scheduler found, such as a data race, a use after reclaim or a
  /// trap.
  case execution = "failed execution"
}

/// A violation in one execution of a collection.
package typealias Violation = ExecutionViolation<Recording>

/// A violation in one execution.
package struct ExecutionViolation<Recorded: ExecutionRecording>: Sendable {
  package typealias Kind = ViolationKind

  package var kind: Kind
  /// The description on one line.
  package var summary: String
  /// The recording of the execution; `nil` if not all threads ended.
  package var recording: Recorded?
  package var partialLinearization: PartialLinearization?
  /// The steps of the threads, if a scheduler recorded them.
  package var trace: [TraceLine] = []
  /// The failure of the execution, if a scheduler ran it.
  package var failure: Failure?

  package init(
    _ kind: Kind, _ summary: String, recording: Recorded? = nil,
    partialLinearization: PartialLinearization? = nil
  ) {
    self.kind = kind
    self.summary = summary
    self.recording = recording
    self.partialLinearization = partialLinearization
  }

  /// The runs of the schedule; none on threads.
  var scheduleLines: [String] { trace.isEmpty ? [] : trace.scheduleLines }
}

/// A partial linearization: the longest prefix of an order that the model allows.
///
/// Operations are indices into the recording's operations.
package struct PartialLinearization: Hashable, Sendable {
  /// A linearization point, and the state after it.
  package struct Point: Hashable, Sendable {
    /// The operation; `nil` for the final snapshot, after all operations.
    package var operation: Int?
    /// A stamp between the operation's call and its return.
    package var stamp: UInt64
    package var state: String
  }

  /// The name of the partition, such as a key.
  package var partition: String
  /// The linearization points in order.
  package var points: [Point]
  /// The pending operations, none of which the model allows next; `nil` stands for the final
  /// snapshot.
  package var stuck: [Int?]
  /// What the model has instead of the result of a stuck operation, such as `the model returns 2`.
  package var expected: [Int: String] = [:]

  /// Returns lines with the partial linearization and the operations that cannot follow it.
  ///
  /// - Parameter recording: The recording to which the operations belong.
  package func explanation(of recording: some ExecutionRecording) -> [String] {
    let order = points.enumerated().map { index, point in
      "  (\(index + 1)) \(recording.name(of: point.operation))   leaves \(point.state)"
    }
    let stuck = stuck.map { operation in
      let reason = operation.flatMap { expected[$0] }.map { ", \($0)" } ?? ""
      return "  ✗ \(recording.name(of: operation))\(reason)"
    }
    return ["The longest partial linearization of \(partition):"] + order
      + ["None of these can come next:"] + stuck
  }
}

extension Aftermath {
  /// The violation at quiescence: a wrong count, too many entries, a leaked or a duplicated object.
  var violation: Violation? {
    if count != size {
      return Violation(.wrongCount, "count is \(count) at rest, but the snapshot has \(size)")
    }
    if let entryCount, entryCount > entryBound {
      return Violation(
        .notConserved,
        "\(entryCount) entries are stored after many mutations; at most \(entryBound) are allowed")
    }
    if let object = keptAlive.first {
      return Violation(.notConserved, "object \(object) is alive without a strong reference")
    }
    if let object = remade.first {
      return Violation(
        .notConserved, "object \(object) was made twice: an update ran its body again")
    }
    if let object = leaked.first {
      return Violation(.notConserved, "object \(object) leaked: alive after all releases")
    }
    return nil
  }

  /// The maximum number of entries of a weak collection: 2 × live + 64. One live object is not in
  /// the contents: the one that was inserted last.
  var entryBound: Int { 2 * (size + 1) + 64 }

  private var size: Int {
    switch contents {
    case .objects(let objects): objects.count
    case .pairs(let pairs): pairs.count
    default: 0
    }
  }
}

/// A history for a model. Each operation has an origin: the operation of the recording from which
/// it is derived.
struct DerivedHistory<Input: Sendable, Answer: Sendable> {
  private(set) var operations: [Operation<Input, Answer>] = []
  /// The indices into the recording's operations; `nil` is the final snapshot.
  private(set) var origins: [Int?] = []

  var history: History<Input, Answer> { History(operations) }

  mutating func add(_ operation: Operation<Input, Answer>, from origin: Int?) {
    operations.append(operation)
    origins.append(origin)
  }

  /// Returns a counterexample in terms of the recording.
  func partialLinearization<Model: SequentialModel>(
    _ counterexample: Counterexample<Model>, partition: String,
    describing state: (Model.State) -> String,
    expecting expected: (Model.State, Operation<Input, Answer>) -> String?
  ) -> PartialLinearization {
    // The first state is the one before any operation.
    let points = zip(counterexample.prefix, counterexample.states.dropFirst()).map {
      PartialLinearization.Point(
        operation: origins[$0.operation], stamp: $0.stamp, state: state($1))
    }
    var order = PartialLinearization(
      partition: partition, points: points, stuck: counterexample.candidates.map { origins[$0] })
    for candidate in counterexample.candidates {
      guard let origin = origins[candidate] else { continue }
      order.expected[origin] = expected(counterexample.states.last!, operations[candidate])
    }
    return order
  }
}

extension DerivedHistory {
  /// Returns the verdict of `checker` on this history, which is derived from `recording`.
  func verdict<Model: SequentialModel, Recorded: ExecutionRecording>(
    by checker: Checker<Model>, on recording: Recorded,
    naming partition: (Model.Partition) -> String, describing state: (Model.State) -> String,
    expecting expected: (Model.State, Operation<Input, Answer>) -> String? = { _, _ in nil }
  ) -> ExecutionVerdict<Recorded> where Model.Input == Input, Model.Output == Answer {
    switch checker.check(history) {
    case .linearizable: return .fine
    case .unknown: return .undecided
    case .illegal(let counterexample):
      let partialLinearization = partialLinearization(
        counterexample, partition: partition(counterexample.partition), describing: state,
        expecting: expected)
      return .violation(
        ExecutionViolation(
          .notLinearizable,
          "no order of the operations on \(partialLinearization.partition) explains "
            + recording.name(of: origins[counterexample.unplaceable]),
          recording: recording, partialLinearization: partialLinearization))
    }
  }
}
