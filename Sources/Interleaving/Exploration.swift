/// A plan: which schedules of a scenario are executed.
///
/// Execution number *i* depends on the plan, the seed and *i* alone.
public struct Exploration: Sendable {
  public enum Strategy: Sendable, Hashable {
    /// Each step is that of a thread drawn at random.
    case randomWalk
    /// Threads have random priorities, and `depth` - 1 random steps lower one (PCT: Burckhardt and
    /// others, 2010). Finds a defect that needs `depth` orderings among *n* threads and *k* steps
    /// with a probability of at least 1 / (*n* *k*^(`depth` - 1)). Execution 0 is a random walk,
    /// which measures *k*.
    case probabilisticConcurrency(depth: Int)
    /// Every schedule in which at most so many threads are preempted, once; drains are not counted.
    case depthFirst(preemptionBound: Int)
    /// One schedule, in its own memory model.
    case replay(Schedule)
  }

  public var strategy: Strategy
  public var seed: UInt64
  /// How many executions at most.
  public var executions: Int
  /// The number of the first one.
  public var firstExecution = 0
  public var memory: MemoryModel
  /// After so many steps an execution is without end.
  public var stepLimit: Int
  /// Whether one thread stops for ever at a random step, and the others must end nevertheless.
  public var suspendsOneThread: Bool
  public var weakened: [Weakening]
  #if Interleaving
    /// Told of every step while it is taken.
    public var observer: (@Sendable (ObservedStep) -> Void)?
  #endif

  public init(
    strategy: Strategy, seed: UInt64, executions: Int, memory: MemoryModel = .storeBuffers,
    stepLimit: Int = 20_000, suspendsOneThread: Bool = false, weakened: [Weakening] = []
  ) {
    precondition((1...Schedule.longest).contains(stepLimit), "the limit of steps is out of range")
    self.strategy = strategy
    self.seed = seed
    self.executions = executions
    self.memory = memory
    self.stepLimit = stepLimit
    self.suspendsOneThread = suspendsOneThread
    self.weakened = weakened
    if case .replay(let schedule) = strategy { self.memory = schedule.memory }
  }

  /// Whether this build and this machine can explore: the trait `Interleaving` is on.
  public static var isAvailable: Bool {
    #if Interleaving
      isSwitchAvailable
    #else
      false
    #endif
  }
}

/// What virtual threads may see of each other's stores.
public enum MemoryModel: String, Sendable, CaseIterable {
  /// Every store is seen by everyone at once.
  case sequentiallyConsistent = "sc"
  /// A store that is not sequentially consistent waits in its thread's buffer until the strategy
  /// lets it be seen; see `StoreBuffer`.
  case storeBuffers = "sb"
}

#if Interleaving
  extension Exploration {
    /// Runs executions in this process until one fails; each calls `scenario` anew.
    ///
    /// What a failed execution had made and not yet given back is never given back.
    public func run(_ scenario: @escaping (Execution) -> Void) -> Outcome {
      withEngine(scenario) { engine in
        let clock = ContinuousClock()
        let elapsed = clock.measure {
          engine.explore(self, to: end)
        }
        return engine.outcome(of: self, elapsed: elapsed)
      }
    }

    /// The number after that of the last execution.
    var end: UInt64 { UInt64(firstExecution) + UInt64(executions) }

    func withEngine(
      _ scenario: @escaping (Execution) -> Void, _ body: (Engine) -> Outcome
    ) -> Outcome {
      precondition(Execution.current == nil, "a scenario cannot explore another")
      let engine = EnginePool.take(stepLimit: stepLimit)
      let execution = Execution(engine: engine)
      execution.scenario = scenario
      engine.prepare(self, execution)
      defer { EnginePool.giveBack(engine) }
      return withExtendedLifetime(execution) { body(engine) }
    }
  }
#endif

/// What an exploration found.
public struct Outcome: Sendable {
  public var executions: UInt64
  /// Steps of all executions.
  public var steps: UInt64
  /// Switches from one thread to another.
  public var switches: UInt64
  /// Steps to which a `Weakening` applied; 0 means that it names no site that was reached.
  public var weakenedSteps: UInt64
  public var elapsed: Duration
  /// Nil if every execution was right.
  public var failure: FailedExecution?
  /// Whether every schedule within the bound was tried.
  public var isExhaustive: Bool
  /// Whether a signal to end the process came first.
  public var isInterrupted: Bool
}

/// An execution that went wrong, with all that repeats it.
public struct FailedExecution: Sendable {
  public var failure: Failure
  public var seed: UInt64
  /// Its number in the exploration.
  public var execution: UInt64
  public var schedule: Schedule
  public var trace: [Step]
  /// The threads' names by their numbers; 0 is the scenario itself.
  public var threads: [String]
}

/// What an execution did wrong.
public enum Failure: Sendable, Hashable {
  /// A condition of the scenario does not hold.
  case assertion(String)
  /// The process ended by a signal: a trap of Swift's, a fault, an exhausted stack; by itself if the
  /// signal is 0.
  case trap(signal: Int32, message: String)
  case useAfterReclaim(access: Site, reclaim: Site)
  case doubleReclaim(first: Site, second: Site)
  /// A node was given back although an access by another thread did not happen before.
  case reclaimedInUse(access: Site, reclaim: Site)
  /// An access between or beside nodes.
  case strayAccess(Site)
  /// Two accesses, at least one of them a plain write, with neither before the other.
  case dataRace(Site, Site)
  /// Nodes were not given back; the sites of up to eight of them.
  case leak(count: Int, allocations: [Site])
  /// One thread was suspended, and another did not end because of that.
  case lostProgress(String)
  /// Every thread that has not ended waits for another.
  case deadlock(String)
  /// The limit of steps was reached.
  case stepsWithoutEnd
  /// No step was taken for too long.
  case hang
  /// A schedule asks for what this scenario cannot do at that decision.
  case scheduleMismatch(decision: Int)
}

extension Failure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .assertion(let message): message
    case .trap(signal: 0, _): "ended the process"
    case .trap(let signal, let message):
      message.isEmpty ? "ended by signal \(signal)" : "ended by signal \(signal): \(message)"
    case .useAfterReclaim(let access, let reclaim):
      "use after reclaim: \(access) uses what \(reclaim) gave back"
    case .doubleReclaim(let first, let second):
      "double reclaim: \(second) gives back what \(first) gave back"
    case .reclaimedInUse(let access, let reclaim):
      "reclaimed in use: \(reclaim) gives back what \(access) uses, with nothing to order them"
    case .strayAccess(let site): "stray access: \(site) uses memory that is no node"
    case .dataRace(let first, let second):
      "data race: \(first) and \(second), with nothing to order them"
    case .leak(let count, let sites):
      "leak: \(count) nodes were not given back, allocated at "
        + Set(sites.map(\.description)).sorted().joined(separator: ", ")
    case .lostProgress(let message): "lost progress: \(message)"
    case .deadlock(let message): "deadlock: \(message)"
    case .stepsWithoutEnd: "steps without end: the limit of steps was reached"
    case .hang: "hang: no step was taken for too long"
    case .scheduleMismatch(let decision):
      "the schedule does not fit this scenario at decision \(decision)"
    }
  }
}
