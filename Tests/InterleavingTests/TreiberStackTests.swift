#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  /// Treiber's stack over a pool of numbered nodes that are used again at once, which invites ABA.
  private final class NumberedStack: Sendable {
    /// The number of the top node, 0 for none; the upper half counts pops if `isTagged`.
    private let top = Atomic(0)
    private let next = [Shared(), Shared(), Shared(), Shared()]
    private let isTagged: Bool

    private final class Shared: Sendable {
      let number = Atomic(0)
    }

    init(isTagged: Bool) {
      self.isTagged = isTagged
    }

    private static let mask = 0xffff

    func push(_ node: Int) {
      var old = top.load(ordering: .relaxed)
      while true {
        next[node].number.store(old & Self.mask, ordering: .relaxed)
        let (exchanged, original) = top.compareExchange(
          expected: old, desired: old & ~Self.mask | node, ordering: .acquiringAndReleasing)
        if exchanged { return }
        old = original
      }
    }

    func pop() -> Int? {
      var old = top.load(ordering: .acquiring)
      while old & Self.mask != 0 {
        let rest = next[old & Self.mask].number.load(ordering: .relaxed)
        let tag = isTagged ? (old | Self.mask) + 1 : 0
        let (exchanged, original) = top.compareExchange(
          expected: old, desired: tag | rest, ordering: .acquiringAndReleasing)
        if exchanged { return old & Self.mask }
        old = original
      }
      return nil
    }
  }

  struct TreiberStackTests {
    // @unchecked: virtual threads take turns.
    private final class Owners: @unchecked Sendable {
      var count = [0, 0, 0, 0]
    }

    /// One thread pops; the other pops two nodes and pushes the first again.
    private static func scenario(isTagged: Bool) -> (Execution) -> Void {
      { execution in
        let stack = NumberedStack(isTagged: isTagged)
        let owners = Owners()
        func pop() -> Int? {
          let node = stack.pop()
          if let node {
            owners.count[node] += 1
            execution.require(owners.count[node] == 1, "node \(node) has two owners")
          }
          return node
        }
        for node in [3, 2, 1] { stack.push(node) }
        execution.thread("pops") { _ = pop() }
        execution.thread("reuses") {
          let first = pop()
          _ = pop()
          if let first {
            owners.count[first] -= 1
            stack.push(first)
          }
          _ = pop()
          _ = pop()
        }
        execution.runThreads()
      }
    }

    @Test(arguments: [
      Exploration.Strategy.randomWalk, .probabilisticConcurrency(depth: 3),
      .depthFirst(preemptionBound: 2),
    ])
    func `ABA is found, and not where a tag prevents it`(_ strategy: Exploration.Strategy) {
      let plan = Exploration(
        strategy: strategy, seed: 1, executions: 50_000, memory: .sequentiallyConsistent)
      let naive = plan.run(Self.scenario(isTagged: false))
      guard case .assertion(let message) = naive.failure?.failure else {
        Issue.record("not found in \(naive.executions)")
        return
      }
      #expect(message.hasSuffix("has two owners"))
      #expect(plan.run(Self.scenario(isTagged: true)).failure == nil)
    }

    @Test func `depth-first search finds that ABA needs two preemptions`() {
      func outcome(_ bound: Int) -> Outcome {
        let plan = Exploration(
          strategy: .depthFirst(preemptionBound: bound), seed: 1, executions: 100_000,
          memory: .sequentiallyConsistent)
        return plan.run(Self.scenario(isTagged: false))
      }
      for bound in 0...1 {
        #expect(outcome(bound).isExhaustive)
        #expect(outcome(bound).failure == nil)
      }
      #expect(outcome(2).failure?.schedule.switchCount == 3)
    }
  }
#endif
