import SeededRandom

/// The decisions of a search over tasks: which lane runs next.
///
/// A *lane* has a number from 1 in the order of appearance. All strategies are those of
/// `Exploration`; tasks have no store buffers, and no task is suspended on purpose.
struct TaskSearch {
  /// The number of decisions of the measuring execution; 0 before it.
  var measuredDecisions = 0
  private let strategy: Exploration.Strategy
  private let seed: UInt64
  private var random = SplitMix64(seed: 0)
  private var isMeasuring = false
  private var decisionCount = 0

  // Depth first.
  private let path: ChoicePath
  private var pathLength = 0
  private var depth = 0
  private var preemptionCount = 0

  // Probabilistic concurrency testing.
  private var priorities: [UInt64] = []
  private var changePoints: [Int] = []
  private var lowestPriority: UInt64 = 0

  /// Creates the search of a plan.
  ///
  /// - Parameter choices: Memory for as many choices as an execution can take.
  init(_ plan: Exploration, choices: UnsafeMutablePointer<Choice>) {
    strategy = plan.strategy
    seed = plan.seed
    path = ChoicePath(choices)
  }

  /// Begins an execution.
  mutating func begin(execution number: UInt64, isMeasuring: Bool) {
    var number = number
    if case .depthFirst = strategy { number = 0 }
    random = SplitMix64(seed: Exploration.seed(ofExecution: number, in: seed))
    self.isMeasuring = isMeasuring
    decisionCount = 0
    depth = 0
    preemptionCount = 0
    priorities.removeAll(keepingCapacity: true)
    changePoints.removeAll(keepingCapacity: true)
    // The lowest priorities are those of the change points, and above them those of yields.
    lowestPriority = 1 << 62
    guard case .probabilisticConcurrency(let depth) = strategy, !isMeasuring else { return }
    for _ in 1..<max(1, depth) {
      changePoints.append(random.number(below: max(1, measuredDecisions)))
    }
  }

  /// Prepares the next execution; returns false if the search is exhausted.
  mutating func advance() -> Bool {
    guard case .depthFirst = strategy else { return true }
    return path.advance(length: &pathLength)
  }

  /// Adds the lane with the next number.
  mutating func addLane() {
    priorities.append(random.next() | 1 << 63)
  }

  /// Notes that a lane yielded: its priority falls below those of the lanes that did not.
  mutating func noteYield(of lane: Int) {
    lowestPriority -= 1
    priorities[lane - 1] = min(priorities[lane - 1], lowestPriority)
  }

  /// Returns the lane to run; `nil` if the execution cannot follow the schedule, or is not
  /// deterministic.
  ///
  /// - Parameters:
  ///   - runnable: The lanes that can run, in increasing order; at least one.
  ///   - waiting: Those of them that have yielded, while no other lane has run since.
  ///   - current: The lane that ran last; 0 if there is none.
  mutating func next(_ runnable: [Int], yielded waiting: Set<Int>, current: Int) -> Int? {
    defer { decisionCount += 1 }
    switch strategy {
    case .replay(let schedule): return replayed(schedule, runnable, current)
    case .depthFirst(let bound): return chosen(runnable, waiting, current, bound: bound)
    case .probabilisticConcurrency where !isMeasuring: return highest(runnable)
    default:
      return runnable.count == 1 ? runnable[0] : runnable[random.number(below: runnable.count)]
    }
  }

  private func replayed(_ schedule: Schedule, _ runnable: [Int], _ current: Int) -> Int? {
    guard decisionCount < schedule.decisions.count else {
      return runnable.contains(current) ? current : runnable[0]
    }
    guard case .run(let lane) = schedule.decisions[decisionCount], runnable.contains(lane) else {
      return nil
    }
    return lane
  }

  private mutating func highest(_ runnable: [Int]) -> Int {
    func best() -> Int { runnable.max { priorities[$0 - 1] < priorities[$1 - 1] }! }
    for (index, point) in changePoints.enumerated() where point == decisionCount {
      priorities[best() - 1] = UInt64(index)
    }
    return best()
  }

  // The current lane is the first alternative. Another one is a preemption if the current one could
  // run and did not yield.
  private mutating func chosen(
    _ runnable: [Int], _ waiting: Set<Int>, _ current: Int, bound: Int
  ) -> Int? {
    let ready = runnable.filter { !waiting.contains($0) }
    let others = (ready.isEmpty ? runnable : ready).filter { $0 != current }
    let continues = runnable.contains(current) && (!waiting.contains(current) || ready.isEmpty)
    let isFree = !continues || waiting.contains(current)
    let options =
      (continues ? [current] : []) + (isFree || preemptionCount < bound ? others : [])
    guard options.count > 1 else { return options[0] }
    guard let taken = path.choice(at: depth, among: options.count, length: &pathLength) else {
      return nil
    }
    depth += 1
    if !isFree, options[Int(taken)] != current { preemptionCount += 1 }
    return options[Int(taken)]
  }
}
