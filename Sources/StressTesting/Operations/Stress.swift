/// Tests whether a concurrent type is linearizable: whether its operations, called by several
/// threads at the same time, return what some sequence of the same calls returns.
///
/// ```swift
/// @Test func `a bounded queue is linearizable`() async throws {
///   try await stress(makeSubject: { BoundedQueue(capacity: 2) }, model: QueueModel(capacity: 2)) {
///     StressOperation("enqueue", 1...4) { $0.enqueue($1) } model: { $0.enqueue($1) }
///     StressOperation("dequeue") { $0.dequeue() } model: { $0.dequeue() }
///   }
/// }
/// ```
///
/// Draws scenarios: calls before the threads start, calls of several threads, calls after they have
/// ended. Runs each scenario many times on real threads and under a scheduler that tries many
/// schedules; ``StressOptions/drivers`` says when. Checks each recorded history against the model.
/// Minimizes a failing scenario, and throws its
/// description: a column for each thread, the results, the places at which the schedule switches
/// threads, and a string that repeats it.
///
/// Prints the seed to standard error. `STRESS_SEED` in the environment sets it; `STRESS_REPLAY`
/// repeats a failure from its replay string. Both have precedence over the options.
///
/// - Parameters:
///   - makeSubject: Creates a subject. Its calls must return the same results every time, as far as
///     the order of the calls determines them: no randomness, no clock, no state outside of it.
///   - model: A value whose operations return what one thread would get, initially in the state of
///     a new subject.
///   - options: The sizes of scenarios, the time to test, and the requirements.
///   - file: The file of the caller, for messages.
///   - line: The line of the caller, for messages.
///   - operations: The operations.
/// - Returns: The counts of the test.
/// - Throws: The failure, which is the same under Swift Testing and XCTest.
@discardableResult
public func stress<Subject: Sendable, Model: Hashable & Sendable>(
  makeSubject: @escaping @Sendable () -> Subject, model: Model,
  options: StressOptions = StressOptions(), file: StaticString = #fileID, line: UInt = #line,
  @OperationBuilder<Subject, Model> operations: () -> [StressOperation<Subject, Model>]
) async throws(StressFailure) -> StressSummary {
  let operations = operations()
  let model = ValueModel(model, operations)
  var test = StressTest(
    operations, makeSubject: makeSubject, options: options, place: "\(file):\(line)",
    check: CallCheck(model, describing: { CallResult.text(of: $0) }).verdict)
  test.modelDefect = { model.defect(applying: $0, names: $1) }
  return try await StressRun(test).run()
}

/// Tests whether a concurrent type is linearizable, with the type itself as the model: what it
/// returns to a single thread is right.
///
/// ```swift
/// try await stress(makeSubject: { Counter() }) {
///   StressOperation("increment") { $0.increment() }
///   StressOperation("value") { $0.value }
/// }
/// ```
///
/// This finds defects of concurrency, but none that a single thread shows too. Otherwise it is as
/// the form with a model.
///
/// - Parameters:
///   - makeSubject: Creates a subject.
///   - options: The sizes of scenarios, the time to test, and the requirements.
///   - file: The file of the caller, for messages.
///   - line: The line of the caller, for messages.
///   - operations: The operations.
/// - Returns: The counts of the test.
/// - Throws: The failure.
@discardableResult
public func stress<Subject: Sendable>(
  makeSubject: @escaping @Sendable () -> Subject, options: StressOptions = StressOptions(),
  file: StaticString = #fileID, line: UInt = #line,
  @OperationBuilder<Subject, Void> operations: () -> [StressOperation<Subject, Void>]
) async throws(StressFailure) -> StressSummary {
  let operations = operations()
  let model = ReplayModel(makeSubject, operations.map(\.body))
  let check = CallCheck(model) { "\($0.count) \($0.count == 1 ? "call" : "calls")" }
  let test = StressTest(
    operations, makeSubject: makeSubject, options: options, place: "\(file):\(line)",
    check: check.verdict)
  return try await StressRun(test).run()
}

/// The sizes of a stress test's scenarios, the time to test, and the requirements.
public struct StressOptions: Sendable {
  /// A way to run scenarios.
  public enum Driver: Sendable, Hashable {
    /// Threads of the system, or tasks if an operation suspends.
    case threads
    /// Virtual threads under a scheduler. The build needs the trait `Interleaving`, and the subject
    /// the types of the module `Interleaving`. If an operation suspends, tasks under a controlled
    /// executor, which need neither.
    case schedules
  }

  /// The ways to run scenarios. `nil` selects all that the build has for the operations: threads;
  /// and schedules with the trait `Interleaving`, or without it if an operation suspends.
  ///
  /// The test fails if a selected driver cannot run the subject: if its calls take no step under
  /// the scheduler, wait outside of it or escape it. `[.threads]` tests such a subject. A test that
  /// runs on threads alone because the build has no scheduler for it says so beside its seed.
  public var drivers: Set<Driver>?
  /// The time to test, without the minimization of a failure.
  public var duration: Duration = .seconds(2)
  /// The number of scenarios after which each driver ends early; `nil` for no limit.
  public var scenarios: Int?
  /// The number of threads of a scenario.
  public var threads = 2...3
  /// The number of calls of each thread.
  public var callsPerThread = 1...4
  /// The number of calls before the threads start.
  public var callsBefore = 0...2
  /// The number of calls after all threads have ended.
  public var callsAfter = 0...2
  /// Whether no call may wait for a thread that is stopped in the middle of another call. Only
  /// schedules decide this, and they stop each thread after each of its steps. Deadlocks are
  /// failures in any case.
  public var requiresLockFreedom = false
  /// Whether the loads and the stores of a call take effect before its return, as on real threads,
  /// where the recorder fences the calls.
  ///
  /// If false, a relaxed or releasing store may stay in its thread's store buffer after the return,
  /// and a load may return an older value or that of a later call. Then only calls with
  /// sequentially consistent effects are linearizable.
  public var fencesCalls = true
  /// The time without any call's return after which a call counts as one that never returns. On a
  /// busy machine a thread may not run for many seconds, so only a call that hangs should reach it.
  public var callTimeLimit: Duration = .seconds(60)
  /// Suspends until the given time limit has passed. A test of a call that hangs waits for that
  /// call instead.
  package var waitForCallTimeLimit: @Sendable (Duration) async throws -> Void = { limit in
    try await Task.sleep(for: limit)
  }
  /// The time to make a failing scenario smaller.
  public var minimizing: Duration = .seconds(5)
  /// The seed of all random choices; `nil` draws one.
  public var seed: UInt64?
  /// The replay string of a failure to repeat, instead of a search; `nil` searches.
  public var replay: String?

  /// Creates the default options.
  public init() {}

  /// The first option with which a test would test nothing; `nil` if there is none.
  var defect: String? {
    let counts = [
      ("threads", threads, 1), ("callsPerThread", callsPerThread, 1),
      ("callsBefore", callsBefore, 0), ("callsAfter", callsAfter, 0),
    ]
    for (name, range, least) in counts where range.lowerBound < least {
      return "\(name) must be at least \(least), got \(range)"
    }
    let times = [("duration", duration), ("callTimeLimit", callTimeLimit)]
    for (name, time) in times where time <= .zero { return "\(name) must be positive, got \(time)" }
    if minimizing < .zero { return "minimizing must not be negative, got \(minimizing)" }
    if let scenarios, scenarios < 1 { return "scenarios must be positive, got \(scenarios)" }
    return drivers == [] ? "drivers is empty; name one, or leave it nil" : nil
  }
}

/// The counts of a stress test that found nothing.
public struct StressSummary: Sendable, Hashable {
  /// The seed.
  public var seed: UInt64
  /// The number of scenarios.
  public var scenarios = 0
  /// The number of executions on threads of the system.
  public var threadExecutions = 0
  /// The number of executions under the scheduler; 0 only if schedules were not selected.
  public var scheduledExecutions = 0
  /// The number of histories for which the search for a linearization reached its time limit.
  public var undecided = 0
}
