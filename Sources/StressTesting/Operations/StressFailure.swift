import Interleaving

/// The failure of a stress test.
public struct StressFailure: Error, Sendable {
  /// The kind of a failure.
  public enum Kind: String, Sendable {
    /// No order of the calls explains the results.
    case notLinearizable = "not linearizable"
    /// A count is impossible.
    case wrongCount = "wrong count"
    /// A collection keeps an object alive, releases it twice, or makes it twice.
    case notConserved = "not conserved"
    /// All threads wait for each other.
    case deadlock
    /// A call waits for a thread that is stopped in the middle of another one.
    case notLockFree = "not lock-free"
    /// A call did not return within the time limit or the step limit.
    case neverReturned = "a call never returned"
    /// A call trapped, or a signal ended the process of an execution.
    case crash
    /// A data race, a use after reclaim, a double reclaim or a leak of nodes.
    case memory = "misuse of memory"
    /// The same calls or the same schedule had another result the second time.
    case nondeterministicSubject = "the subject is not deterministic"
    /// The model is a class, or its copies share state.
    case modelIsNoValue = "the model is not a value"
    /// The subject waits in a way that the scheduler does not control, or takes no step under it.
    case uncontrolledSubject = "the scheduler does not control the subject"
    /// An option is out of range, or there are no operations.
    case invalidOptions = "the test would test nothing"
    /// This build cannot run what the options require.
    case unavailable
    /// The replay string is malformed, or belongs to other operations or other code.
    case unusableReplay = "the replay string cannot be used"
  }

  /// The kind.
  public var kind: Kind
  /// What happened, in one sentence.
  public var summary: String
  /// The replay string; `nil` if the failure cannot be repeated by one.
  public var replay: String?
  /// The seed of the test.
  public var seed: UInt64
  /// The lines of the report below the summary.
  var details: [String] = []
  /// The place of the test.
  var place = ""

  static let trapOnThreads =
    "a call in one of these orders, or another test of this process, trapped on a thread of the "
    + "system; the message of the trap is above"

  init(_ kind: Kind, _ summary: String, seed: UInt64) {
    self.kind = kind
    self.summary = summary
    self.seed = seed
  }
}

extension StressFailure: CustomStringConvertible {
  /// The report.
  public var description: String {
    let repetition =
      replay.map { ["", "Repeat it:", "  STRESS_REPLAY=\($0) swift test --filter …"] }
      ?? ["", "The seed is \(seed): STRESS_SEED=\(seed) swift test --filter …"]
    return (["\(place): \(kind.rawValue): \(summary)"] + details + repetition)
      .joined(separator: "\n")
  }
}

/// What the failure of an execution under a scheduler means for a subject.
struct ExecutionDiagnosis {
  var kind: StressFailure.Kind
  /// What happened, if the failure does not say it.
  var summary: String?
  /// Whether the schedule repeats the failure.
  var isRepeatable = true

  /// What to do about a subject that the scheduler does not control.
  static let remedy =
    "take atomics, locks and waits from the module Interleaving, or test on threads alone, with "
    + "options.drivers = [.threads]"

  static let withoutSteps =
    "the calls took no step under the scheduler, which has a single schedule then: the subject "
    + "uses no atomics and no locks, or such as the scheduler does not control; \(remedy)"

  /// - Parameter isRepeated: Whether the replay of a failed check found a violation, too.
  init(_ failure: Failure, isRepeated: Bool) {
    switch failure {
    case .assertion where isRepeated: kind = .notLinearizable
    case .assertion:
      kind = .nondeterministicSubject
      summary = Self.unrepeated("a schedule failed, but its replay did not: \(failure)")
    case .deadlock, .lostWakeUp: kind = .deadlock
    case .lostProgress: kind = .notLockFree
    case .stepsWithoutEnd: kind = .neverReturned
    case .uncontrolled:
      kind = .uncontrolledSubject
      summary = "\(failure); test it on threads alone, with options.drivers = [.threads]"
      isRepeatable = false
    case .hang:
      kind = .uncontrolledSubject
      summary =
        "a call took no further step: it loops without a step, or waits outside of the "
        + "scheduler, as for a real lock; \(Self.remedy)"
      isRepeatable = false
    case .trap(_, let message):
      // The message of the standard library, which finds the lock taken by its own thread.
      let isRealLock = message.contains("Recursive call to lock Mutex")
      kind = isRealLock ? .uncontrolledSubject : .crash
      if isRealLock {
        summary =
          "a call waits for a real lock, which all virtual threads share; \(Self.remedy)"
      }
    case .scheduleMismatch(let decision):
      kind = .nondeterministicSubject
      summary = Self.unrepeated("a schedule could not be repeated from decision \(decision) on")
      isRepeatable = false
    default: kind = .memory
    }
  }

  /// Returns the summary for a schedule that did not repeat its failure.
  static func unrepeated(_ what: String) -> String {
    "\(what); the subject must use no randomness, no clock and no addresses"
  }
}
