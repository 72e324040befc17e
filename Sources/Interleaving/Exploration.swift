/// A plan that selects schedules of a scenario for execution.
///
/// Execution number *i* depends only on the plan, the seed and *i*. With reordered loads, it also
/// depends on the executions before it, from `firstExecution` on: they find the stores that a load
/// may read before these execute.
public struct Exploration: Sendable {
  /// The algorithm that selects schedules.
  public enum Strategy: Sendable, Hashable {
    /// Selects the thread of each step at random.
    case randomWalk
    /// Gives threads random priorities, and lowers the highest one at `depth` - 1 random steps
    /// (PCT: Burckhardt and others, 2010).
    ///
    /// An execution finds a defect that needs `depth` ordering constraints among *n* threads and
    /// *k* steps with a probability of at least 1 / (*n* *k*^(`depth` - 1)). Execution 0 is a
    /// random walk, which measures *k*.
    case probabilisticConcurrency(depth: Int)
    /// Selects every schedule with at most `preemptionBound` preemptions, once. Drains do not
    /// count. With reordered loads, a second round repeats the schedules and adds those in which a
    /// load reads a later store.
    case depthFirst(preemptionBound: Int)
    /// Selects one schedule of each class of equivalent schedules, without a bound on preemptions:
    /// dynamic partial-order reduction (Flanagan and Godefroid, 2005), with source sets and sleep
    /// sets (Abdulla and others, 2014).
    ///
    /// Two schedules are equivalent if they differ only in the order of independent steps, such as
    /// steps that use different variables, or loads of one variable. They end in the same state, so
    /// an exhausted search (`Outcome.isExhaustive`) has seen every result.
    ///
    /// The threads must share state only through steps: atomic variables, locks, waits, nodes, time
    /// stamps (`Execution.now`). The search does not see a plain variable of the test, and may omit
    /// an order that matters only to such a variable. A spin,
    /// `Execution.pause(file:function:line:)`, and the release of an object's last reference count
    /// as dependent on every step. Sequential consistency and store buffers are covered.
    ///
    /// - Precondition: `suspendsOneThread` is false, and the memory model is not
    ///   `MemoryModel.reorderedLoads`.
    case dynamicPartialOrderReduction
    /// Selects one schedule, in its own memory model.
    case replay(Schedule)

    /// Returns whether the algorithm can search the executions of a memory model.
    public func covers(_ memory: MemoryModel) -> Bool {
      self != .dynamicPartialOrderReduction || memory != .reorderedLoads
    }
  }

  /// The algorithm that selects schedules.
  public var strategy: Strategy
  /// The seed of all random choices.
  public var seed: UInt64
  /// The maximum number of executions. An exploration without any traps.
  public var executions: Int
  /// The number of the first execution.
  public var firstExecution = 0
  /// The memory model.
  public var memory: MemoryModel
  /// The number of steps after which an execution fails as endless.
  public var stepLimit: Int
  /// Whether the scheduler suspends one thread at a random step until all others have ended. They
  /// must end without it.
  public var suspendsOneThread: Bool
  /// The atomic operations that get another memory ordering.
  public var weakened: [Weakening]
  /// The time that an execution in which no task can run waits for a job from another thread.
  package var escapeGrace = Self.standardEscapeGrace
  /// The value of `escapeGrace` in new plans. A busy machine may deliver such a job late, so a test
  /// that expects one binds a longer time.
  @TaskLocal package static var standardEscapeGrace = Duration.milliseconds(200)
  #if Interleaving
    /// A closure that an execution calls at every step.
    public var observer: (@Sendable (ObservedStep) -> Void)?
  #endif

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - strategy: The algorithm that selects schedules.
  ///   - seed: The seed of all random choices.
  ///   - executions: The maximum number of executions.
  ///   - memory: The memory model; a replay uses the one of its schedule instead.
  ///   - stepLimit: The number of steps after which an execution fails as endless.
  ///   - suspendsOneThread: Whether the scheduler suspends one thread until all others have ended.
  ///   - weakened: The atomic operations that get another memory ordering.
  /// - Precondition: `stepLimit` is from 1 to 2²⁴.
  public init(
    strategy: Strategy, seed: UInt64, executions: Int, memory: MemoryModel = .storeBuffers,
    stepLimit: Int = 20_000, suspendsOneThread: Bool = false, weakened: [Weakening] = []
  ) {
    guard (1...Schedule.longest).contains(stepLimit) else {
      fatalError("stepLimit must be from 1 to \(Schedule.longest), got \(stepLimit)")
    }
    self.strategy = strategy
    self.seed = seed
    self.executions = executions
    self.memory = memory
    self.stepLimit = stepLimit
    self.suspendsOneThread = suspendsOneThread
    self.weakened = weakened
    if case .replay(let schedule) = strategy { self.memory = schedule.memory }
  }

  /// Traps if the plan has no execution, because an exploration would find nothing then.
  func checkExecutions() {
    guard executions > 0, firstExecution >= 0 else {
      fatalError(
        "an exploration needs at least one execution and numbers from 0, got \(executions) from "
          + "number \(firstExecution)")
    }
  }

  /// Whether this build and this machine can explore: the build has the trait `Interleaving`, and
  /// the architecture is supported.
  public static var isAvailable: Bool {
    #if Interleaving
      isSwitchAvailable
    #else
      false
    #endif
  }
}

/// The rules by which virtual threads see each other's stores.
public enum MemoryModel: String, Sendable, CaseIterable {
  /// Every store is visible to all threads immediately.
  case sequentiallyConsistent = "sc"
  /// A store that is not sequentially consistent stays in its thread's buffer until the strategy
  /// makes it visible; see `StoreBuffer`.
  case storeBuffers = "sb"
  /// In addition to store buffers, a load may return an older value than the newest one, or the
  /// value of a later store of another thread, as far as C++ allows; see `StoredValue` and
  /// `PendingPromise`.
  ///
  /// `Exploration.Strategy.dynamicPartialOrderReduction` does not cover it.
  case reorderedLoads = "rl"

  /// The models that are weaker than sequential consistency.
  package static let weakModels: [MemoryModel] = [.storeBuffers, .reorderedLoads]
}

#if Interleaving
  extension Exploration {
    /// Runs executions in this process until one fails.
    ///
    /// A failed execution leaks the objects that it had not released. With reordered loads, so does
    /// one whose failure does not count (`PromisedStore`), and the exploration continues after it;
    /// a trap in it ends the process. If the scenario traps, or keeps state in global variables,
    /// use `runInChildren`, which starts another child then.
    ///
    /// - Parameter scenario: The scenario, which each execution calls anew.
    /// - Returns: The counts and the first failure, if there was one.
    /// - Precondition: The caller does not run in an execution, and `isAvailable` is true.
    public func run(_ scenario: @escaping (Execution) -> Void) -> Outcome {
      withEngine(scenario) { engine in
        let clock = ContinuousClock()
        let elapsed = clock.measure {
          repeat { engine.explore(self, to: end) } while engine.passAbandoned(self)
        }
        return engine.outcome(of: self, elapsed: elapsed)
      }
    }

    /// The number of the last execution plus one.
    var end: UInt64 { UInt64(firstExecution) + UInt64(executions) }

    func withEngine(
      _ scenario: @escaping (Execution) -> Void, _ body: (Engine) -> Outcome
    ) -> Outcome {
      guard Execution.current == nil else {
        fatalError("an execution started an exploration; start it outside of executions")
      }
      checkExecutions()
      guard !suspendsOneThread || strategy != .dynamicPartialOrderReduction else {
        fatalError("dynamicPartialOrderReduction cannot suspend a thread; use depthFirst")
      }
      guard strategy.covers(memory) else {
        fatalError("dynamicPartialOrderReduction does not cover reordered loads; use depthFirst")
      }
      let engine = EnginePool.take(stepLimit: stepLimit)
      let execution = Execution(engine: engine)
      execution.scenario = scenario
      engine.prepare(self, execution)
      defer { EnginePool.giveBack(engine) }
      return withExtendedLifetime(execution) { body(engine) }
    }
  }
#endif

/// The result of an exploration.
public struct Outcome: Sendable {
  /// The number of executions.
  public var executions: UInt64
  /// The number of these that dynamic partial-order reduction found to be equivalent to another one
  /// while they ran (blocked by sleep sets); 0 with other strategies.
  public var blockedExecutions: UInt64
  /// The number of steps of all executions.
  public var steps: UInt64
  /// The number of switches from one thread to another.
  public var switches: UInt64
  /// The number of steps to which a `Weakening` applied; 0 if no execution reached its site.
  public var weakenedSteps: UInt64
  /// The number of executions in which a load read a later store, but the store did not follow as
  /// it had to (`PromisedStore`). C++ does not allow them, so their failures do not count. 0
  /// without reordered loads.
  public var brokenExecutions: UInt64
  /// The time that the exploration took.
  public var elapsed: Duration
  /// The first failed execution; `nil` if all succeeded.
  public var failure: FailedExecution?
  /// Whether the search is exhausted: depth first, it executed every schedule within its bound;
  /// with dynamic partial-order reduction, one schedule of each class of equivalent ones.
  /// With reordered loads, a search knows at most 1024 promises, and is not exhausted if there are
  /// more.
  ///
  /// A schedule switches only at steps, or in asynchronous code only at suspension points. Neither
  /// the creation of a task nor its cancellation is one. So an exhausted search of tasks has not
  /// tried the interleavings, on several processors, of code between two suspension points.
  public var isExhaustive: Bool
  /// What an exhausted search covers, such as `switches at suspension points, with at most 2
  /// preemptions`; empty for a strategy that no search exhausts.
  public internal(set) var scope: String
  /// Whether a signal interrupted the exploration.
  public var isInterrupted: Bool
  /// The number of times that the executions waited outside of the scheduler, as for a lock or the
  /// end of a sleep; 0 where the system does not tell. Starting a child process adds a few.
  package var waits = 0
}

extension Outcome: CustomStringConvertible {
  /// The number of executions, whether and for what they are exhaustive, and the failure.
  public var description: String {
    "\(executions) \(executions == 1 ? "execution" : "executions")"
      + (isExhaustive ? ", exhaustive for \(scope)" : "")
      + (failure.map { "\n\($0)" } ?? ", no failure")
  }
}

extension Exploration {
  /// Returns the scope of an exhausted search.
  ///
  /// - Parameter points: Where an execution can switch from one thread or task to another.
  func scope(ofSwitchesAt points: String) -> String {
    switch strategy {
    case .depthFirst(let bound):
      "switches at \(points), with at most \(bound) \(bound == 1 ? "preemption" : "preemptions")"
    case .dynamicPartialOrderReduction: "all orders of dependent \(points)"
    case .randomWalk, .probabilisticConcurrency, .replay: ""
    }
  }
}

/// A failed execution, with everything that is necessary to repeat it.
public struct FailedExecution: Sendable {
  /// The failure.
  public var failure: Failure
  /// The seed of the exploration.
  public var seed: UInt64
  /// The number of the execution in the exploration.
  public var execution: UInt64
  /// The decisions of the execution.
  public var schedule: Schedule
  /// The steps of the execution.
  public var trace: [Step]
  /// The names of the threads, by number; the scenario is 0.
  public var threads: [String]
}

extension FailedExecution {
  /// The failure on one line. If the execution reached the limit of steps, the line has the place
  /// that it repeats.
  package var summary: String {
    guard failure == .stepsWithoutEnd,
      let last = trace.last(where: { $0.kind != .mark || !$0.site.file.isEmpty })
    else { return "\(failure)" }
    let repeated = "\(failure); \(threads[last.thread]) repeats \(last.kind) \(last.site)"
    // Longer than any loop that only waits.
    let loop = trace.suffix(1000).filter { $0.thread == last.thread }
    if last.kind == .run { return repeated }
    return loop.contains { $0.kind == .spin }
      ? "\(repeated), and no other thread ends its wait"
      : "\(repeated); a loop that waits needs spinHint()"
  }
}

extension FailedExecution: Error, CustomStringConvertible {
  /// The failure, the last step of each thread before each switch, and the schedule's text.
  public var description: String {
    let steps = trace.enumerated().filter { index, step in
      index + 1 == trace.count || trace[index + 1].thread != step.thread
    }.map { "  \(threads[$1.thread]): \($1.kind) \($1.site)" }
    return
      ([summary] + steps + [
        "Repeat it with the strategy .replay(try Schedule(parsing: \"\(schedule)\"))"
      ]).joined(separator: "\n")
  }
}

/// The failure of an execution.
public enum Failure: Sendable, Hashable {
  /// A condition of the scenario is false.
  case assertion(String)
  /// A signal ended the process of the execution, or in asynchronous code its thread, because of a
  /// trap, a fault or an exhausted stack. The signal 0 means that the process exited.
  case trap(signal: Int32, message: String)
  /// A step used a node after its deallocation.
  case useAfterReclaim(access: Site, reclaim: Site)
  /// A step deallocated a node for the second time.
  case doubleReclaim(first: Site, second: Site)
  /// A step deallocated a node, and another thread's access did not happen before it.
  case reclaimedInUse(access: Site, reclaim: Site)
  /// A step used memory of the arena that belongs to no node.
  case strayAccess(Site)
  /// Two unordered accesses of one word, at least one of which is a plain write.
  case dataRace(Site, Site)
  /// Nodes were live at the end; `allocations` has the sites of up to eight of them.
  case leak(count: Int, allocations: [Site])
  /// The scheduler suspended one thread, and another did not end without it.
  case lostProgress(String)
  /// Every thread that has not ended is blocked.
  case deadlock(String)
  /// No task can run, and the body has not ended.
  case lostWakeUp(String)
  /// A task ran where the controlled executor does not see it.
  case uncontrolled(String)
  /// The execution reached the limit of steps.
  case stepsWithoutEnd
  /// The execution took no step for too long.
  case hang
  /// The scenario cannot follow the schedule at this decision, or is not deterministic.
  case scheduleMismatch(decision: Int)
}

extension Failure: CustomStringConvertible {
  /// The message on one line.
  public var description: String {
    switch self {
    case .assertion(let message): message
    case .trap(signal: 0, _): "the process exited"
    case .trap(let signal, let message):
      message.isEmpty ? "killed by signal \(signal)" : "killed by signal \(signal): \(message)"
    case .useAfterReclaim(let access, let reclaim):
      "use after reclaim: \(access) uses a node that \(reclaim) deallocated"
    case .doubleReclaim(let first, let second):
      "double reclaim: \(second) deallocates a node that \(first) deallocated before"
    case .reclaimedInUse(let access, let reclaim):
      "reclaimed in use: \(reclaim) deallocates a node, unordered with its use at \(access)"
    case .strayAccess(let site): "stray access: \(site) uses memory of no node"
    case .dataRace(let first, let second):
      "data race: \(first) and \(second) are unordered"
    case .leak(let count, let sites):
      "leak: \(count) \(count == 1 ? "node is" : "nodes are") live at the end, allocated at "
        + Set(sites.map(\.description)).sorted().joined(separator: ", ")
    case .lostProgress(let message): "lost progress: \(message)"
    case .deadlock(let message): "deadlock: \(message)"
    case .lostWakeUp(let message): "lost wake-up or deadlock: \(message)"
    case .uncontrolled(let message): "uncontrolled: \(message)"
    case .stepsWithoutEnd: "steps without end: the execution reached the step limit"
    case .hang: "hang: the execution took no step for too long"
    case .scheduleMismatch(let decision):
      "the scenario cannot follow the schedule at decision \(decision); "
        + "was it recorded with this code?"
    }
  }
}
