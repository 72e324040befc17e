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
