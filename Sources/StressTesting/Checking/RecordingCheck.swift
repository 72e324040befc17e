import Linearizability
import WeakCollections

/// What a check says of one execution.
package enum RecordingVerdict: Sendable {
  case fine
  case violation(Violation)
  /// The search for an order took too long.
  case undecided
}

/// Checks recordings of one scenario against everything that its collection promises.
package struct RecordingCheck: Sendable {
  private let scenario: Scenario
  private let isFenced: Bool
  private let timeLimit: Duration?

  /// - Parameter isFenced: whether stamps were taken behind fences, as on real threads; see `CountBounds`.
  package init(
    _ scenario: Scenario, isFenced: Bool = true, timeLimit: Duration? = .seconds(2)
  ) {
    self.scenario = scenario
    self.isFenced = isFenced
    self.timeLimit = timeLimit
  }

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
  /// Later than every operation.
  var end: UInt64 {
    1 + operations.reduce(0) { max($0, $1.call, $1.return ?? 0) }
  }
}

/// A check that looks at each recording once, however often it comes.
// @unchecked: used by one thread at a time, which is the managed scheduler's.
final class MemoizedCheck: @unchecked Sendable {
  private let check: RecordingCheck
  private var fine: Set<Recording> = []
  private let capacity = 100_000

  init(_ check: RecordingCheck) { self.check = check }

  /// nil for what is fine, and for what takes too long to tell.
  func violation(in recording: Recording) -> Violation? {
    if fine.contains(recording) { return nil }
    if case .violation(let violation) = check.verdict(on: recording) { return violation }
    if fine.count < capacity { fine.insert(recording) }
    return nil
  }
}

/// What is wrong with one execution.
package struct Violation: Sendable {
  package enum Kind: String, Sendable {
    case notLinearizable = "not linearizable"
    case wrongCount = "wrong count"
    case notConserved = "not conserved"
    /// Not all threads ended.
    case hang = "hang"
    /// Found by the managed scheduler: a race, a use after reclaiming, a trap and such.
    case execution = "failed execution"
  }

  package var kind: Kind
  /// One line.
  package var summary: String
  /// nil when the threads did not get far enough to be asked.
  package var recording: Recording?
  package var placement: Placement?
  /// The steps of the threads between their operations, where a scheduler knows them.
  package var trace: [TraceLine] = []

  package init(
    _ kind: Kind, _ summary: String, recording: Recording? = nil, placement: Placement? = nil
  ) {
    self.kind = kind
    self.summary = summary
    self.recording = recording
    self.placement = placement
  }
}

extension Violation {
  /// The trace in runs of one thread: how many steps, and the last of them.
  package var runs: [(thread: Int, count: Int, last: String)] {
    trace.reduce(into: []) { runs, line in
      if let last = runs.last, last.thread == line.thread {
        runs[runs.count - 1] = (line.thread, last.count + 1, line.text)
      } else {
        runs.append((line.thread, 1, line.text))
      }
    }
  }
}

/// How far an order of a history's operations could be found; the numbers are of a recording's operations.
package struct Placement: Hashable, Sendable {
  /// An operation in its place, and the state that it leaves.
  package struct Point: Hashable, Sendable {
    /// nil for what was found at rest, after all operations.
    package var operation: Int?
    /// Within the operation's call and return.
    package var stamp: UInt64
    package var state: String
  }

  /// What was checked alone, such as one key.
  package var partition: String
  /// The longest order that the model allows.
  package var points: [Point]
  /// Those that could come next, and are not allowed to; nil is what was found at rest.
  package var stuck: [Int?]
}

/// One step of a scenario's thread.
package struct TraceLine: Hashable, Sendable {
  package var thread: Int
  package var text: String

  package init(thread: Int, text: String) {
    self.thread = thread
    self.text = text
  }
}

extension Aftermath {
  /// What is wrong at rest: counts, entries, objects that live on or were made twice.
  var violation: Violation? {
    if count != size {
      return Violation(.wrongCount, "count is \(count) at rest, with \(size) there")
    }
    // One more is alive: the one that was appended last.
    let bound = 2 * (size + 1) + 64
    if let entryCount, entryCount > bound {
      return Violation(
        .notConserved, "\(entryCount) entries are stored after a mutation; at most \(bound) may be")
    }
    if let object = keptAlive.first {
      return Violation(.notConserved, "object \(object) lives on, though nobody holds it")
    }
    if let object = remade.first {
      return Violation(.notConserved, "object \(object) was made twice: an update's body ran again")
    }
    if let object = leaked.first {
      return Violation(.notConserved, "object \(object) lives on when everything was let go")
    }
    return nil
  }

  private var size: Int {
    switch contents {
    case .objects(let objects): objects.count
    case .pairs(let pairs): pairs.count
    default: 0
    }
  }
}

/// A history for a model, and which of a recording's operations each of its operations was.
struct DerivedHistory<Input: Sendable, Answer: Sendable> {
  private(set) var operations: [Operation<Input, Answer>] = []
  /// nil is what was found at rest.
  private(set) var origins: [Int?] = []

  var history: History<Input, Answer> { History(operations) }

  mutating func add(_ operation: Operation<Input, Answer>, from origin: Int?) {
    operations.append(operation)
    origins.append(origin)
  }

  /// What the checker says, in a recording's terms.
  func placement<Model: SequentialModel>(
    _ counterexample: Counterexample<Model>, partition: String,
    describing state: (Model.State) -> String
  ) -> Placement {
    // The first state is the one before any operation.
    let points = zip(counterexample.prefix, counterexample.states.dropFirst()).map {
      Placement.Point(operation: origins[$0.operation], stamp: $0.stamp, state: state($1))
    }
    return Placement(
      partition: partition, points: points, stuck: counterexample.candidates.map { origins[$0] })
  }
}

extension DerivedHistory {
  /// What `checker` says of this history, which was made of `recording`.
  func verdict<Model: SequentialModel>(
    by checker: Checker<Model>, on recording: Recording,
    naming partition: (Model.Partition) -> String, describing state: (Model.State) -> String
  ) -> RecordingVerdict where Model.Input == Input, Model.Output == Answer {
    switch checker.check(history) {
    case .linearizable: return .fine
    case .unknown: return .undecided
    case .illegal(let counterexample):
      let placement = placement(
        counterexample, partition: partition(counterexample.partition), describing: state)
      return .violation(
        Violation(
          .notLinearizable,
          "no order of the operations on \(placement.partition) explains "
            + recording.name(of: origins[counterexample.unplaceable]),
          recording: recording, placement: placement))
    }
  }
}
