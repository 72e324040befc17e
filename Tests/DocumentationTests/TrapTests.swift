import Choosing
import ContractTesting
import Interleaving
import LeakMonitoring
import LeakMonitoringReporters
import LeakReports
import LeakTesting
import Linearizability
import RuntimeInspection
import SeededTesting
import StressTesting
import Testing
import WeakCollections

/// What the documented traps print before they end the process. Those of the collections are in
/// `Tests/Consumer`. `scripts/test --conservation` runs this optimized.
struct TrapTests {
  private final class Page: Sendable {}
  private struct Opaque: Sendable {}

  @Test(arguments: traps.indices) func `a mistake prints its line`(_ index: Int) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [index] in try await TrapTests.traps[index].provoke() }
    let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(printed.contains(Self.traps[index].line))
  }

  private static let traps = choosing + counting + lifecycles + reporting + testing + searching

  private static func profile(threads: Int = 1, churn: Double = 0) -> WorkloadProfile {
    WorkloadProfile(
      collection: .dictionary, shares: OperationShares(read: 100), threads: threads, cores: 1,
      entries: 1, churn: churn, synchronousOnly: true)
  }

  private static let choosing: [Trap] = [
    Trap("threads, cores and entries must be positive, got 0, 1 and 1") {
      _ = profile(threads: 0)
    },
    Trap("liveFraction, churn and memoryWeight must be from 0 to 1, got 1.0, 2.0 and 0.0") {
      _ = profile(churn: 2)
    },
    Trap("no session of mutex at") {
      let point = GridPoint(
        collection: .dictionary, workload: "exchange", shares: OperationShares(read: 100),
        threads: 1, entries: 1)
      _ = MeasuredCost(point: point, backend: .mutex, sessions: [])
    },
  ]

  private static let counting: [Trap] = [
    Trap("a leak monitor cannot use the backend 'actor'") {
      _ = MemoryLeakMonitor(backend: .actor)
    },
    Trap("MemoryLeakMonitor.calibration was set after the first use of MemoryLeakMonitor.shared") {
      _ = MemoryLeakMonitor.shared
      MemoryLeakMonitor.calibration = Calibration([])
    },
    Trap("the timeout of retain paths must be positive, got 0.0 seconds") {
      MemoryLeakMonitor().retainPaths = .shown(timeout: .zero)
    },
    Trap("the timeout of retain paths must be positive, got 0.0 seconds") {
      withLeakScope(paths: .shown(timeout: .zero)) {}
    },
    Trap("the interval and the cap of a sampling must be from 0 to") { _ = Sampling(oneIn: -1) },
    Trap("growth(loops:) cannot detect growth with loops: 1; pass at least 2") {
      MemoryLeakMonitor.growth(loops: 1) {}
    },
    Trap("growth(loops:) cannot detect growth with loops: 1; pass at least 2") {
      await MemoryLeakMonitor.growth(loops: 1) { await Task.yield() }
    },
    Trap("groupMax is 1, but the group has no name; pass group: too") {
      _ = LifetimeConfiguration(groupMax: 1)
    },
    Trap("the two snapshots belong to different monitors; compare snapshots of one monitor") {
      let (one, other) = (MemoryLeakMonitor(), MemoryLeakMonitor())
      _ = one.snapshot().changes(since: other.snapshot())
    },
    Trap("call changes(since:) on the newer one") {
      let monitor = MemoryLeakMonitor()
      let (one, other) = (monitor.snapshot(), monitor.snapshot())
      _ = one.changes(since: other)
    },
    Trap("the capacity of an event sequence must be positive, got 0") {
      _ = MemoryLeakMonitor().events(buffering: 0)
    },
    Trap("two tasks wait for events of one sequence, and each would miss events") {
      let monitor = MemoryLeakMonitor()
      let events = monitor.events
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            var iterator = events.makeAsyncIterator()
            _ = await iterator.next()
          }
        }
      }
      withExtendedLifetime(monitor) {}
    },
  ]

  private static let lifecycles: [Trap] = [
    Trap("String is not a reference type; use a class, an actor or a class-bound protocol") {
      _ = WeakProxy<String, Int>("a", whenGone: { _ in }) { _, _ in }
    },
    Trap("the entry belongs to another cancel bag; call remove(_:) of the bag that returned it") {
      let bag = CancelBag()
      CancelBag().remove(bag.insert {})
    },
    Trap("a process cannot catch signal 9; use another one, such as SIGUSR1") {
      _ = SignalTrigger(9) {}
    },
    Trap("a binding analyzer cannot use the backend 'actor'") {
      _ = BindingAnalyzer(backend: .actor)
    },
  ]

  private static let reporting: [Trap] = [
    Trap("the size of a file must be positive, got 0") {
      _ = try JSONLinesLeakReporter(appendingTo: "leaks.jsonl", rotatingAt: 0)
    },
    Trap("the number of older files must be positive, got 0") {
      _ = try JSONLinesLeakReporter(appendingTo: "leaks.jsonl", keeping: 0)
    },
    Trap("the number of values must not be negative, got -1") {
      _ = MetricsLeakReporter(mostValues: -1)
    },
    Trap("the baseline entry 'excess App.Session' needs a count of at least 1, got 0") {
      _ = LeakBaseline.Entry(LeakFingerprint(text: "excess App.Session"), count: 0, reason: "")
    },
    Trap("the baseline has two entries for 'excess App.Session'; merge them into one") {
      let entry = LeakBaseline.Entry(
        LeakFingerprint(text: "excess App.Session"), count: 1, reason: "")
      _ = LeakBaseline([entry, entry])
    },
    Trap("a retain path needs one edge fewer than nodes; got nodes: 0, edges: 0") {
      _ = RetainPath(origin: .cycle, nodes: [], edges: [])
    },
    Trap("limit must be at least 1, the nodes without a parent, got 0") {
      _ = DominatorTree(nodes: [.init(parent: nil, kind: .globals, retainedBytes: 0)], limit: 0)
    },
    Trap("the parent of node 0 must come before it, got 3") {
      _ = DominatorTree(nodes: [.init(parent: 3, kind: .globals, retainedBytes: 0)])
    },
    Trap("limit, a number of types, must be positive, got 0") { _ = heap.text(limit: 0) },
    Trap("limit, a number of types, must be positive, got 0") {
      _ = heap.growth(since: heap).text(limit: 0)
    },
  ]

  private static let heap = HeapSnapshot(
    process: 1, millisecondsSince1970: 0, pauseNanoseconds: 0, entries: [], otherCount: 0,
    otherBytes: 0, freeBytes: 0, heldBytes: 0, residentBytes: nil)

  private static let testing: [Trap] = [
    Trap("Page already has a factory; register one factory for each class") {
      var suite = FactorySuite()
      for _ in 0..<2 { suite.register(Page.self) { $0.root(Page()) } }
    },
    Trap("Page called root(_:) twice; call it once, and dependant(_:named:) for the other parts") {
      var suite = FactorySuite()
      suite.register(Page.self) { product in
        for _ in 0..<2 { product.root(Page()) }
      }
      await suite.check()
    },
    Trap("expectSteadyHeap needs at least 1 run per round, got 0") {
      await expectSteadyHeap(of: Page.self, per: 0) {}
    },
    Trap("expectSteadyHeap needs at least 16 rounds to distinguish growth from noise, got 15") {
      await expectSteadyHeap(of: Page.self, rounds: 15) {}
    },
    Trap("operations must be positive, got 0") { _ = ContractOptions(operations: 0) },
    Trap("cannot be checked: it needs values that hold an object, such as CountedObject") {
      for contract in Contract<MutexDictionary<Int, Int>>.all
      where contract.need == .countedValues {
        _ = await contract.breaches()
      }
    },
    Trap("operation 'read' has no argument to draw from; give it at least one") {
      _ = StressOperation<MutexDictionary<Int, Int>, Int>("read", [Int]()) {
        $0[$1]
      } model: {
        _, _ in
        nil
      }
    },
    Trap("the result of operation 'read' must be Hashable or Void, got Opaque") {
      _ = StressOperation<MutexDictionary<Int, Int>, Int>("read") { _ in
        Opaque()
      } model: { _ in
        Opaque()
      }
    },
  ]

  private static let searching: [Trap] = [
    Trap("the timeout of a search must be positive, got 0.0 seconds") {
      _ = RetainSearch(timeout: .zero)
    },
    Trap("the timeout of a snapshot must be positive, got 0.0 seconds") {
      _ = try HeapSnapshot.take(ofProcess: 0, timeout: .zero)
    },
    Trap("an operation must not return before its call, got call 2, return 1") {
      _ = History([Operation(worker: 0, call: 2, return: 1, input: 0, output: 0)])
    },
    Trap("an operation must have both a return and an output, or neither") {
      _ = History([Operation(worker: 0, call: 1, return: nil, input: 0, output: 0)])
    },
    Trap("stepLimit must be from 1 to 16777216, got 0") {
      _ = Exploration(strategy: .randomWalk, seed: 1, executions: 1, stepLimit: 0)
    },
    Trap("an exploration needs at least one execution and numbers from 0, got 0 from number 0") {
      _ = await Exploration(strategy: .randomWalk, seed: 1, executions: 0).runTasks {}
    },
    Trap("dynamicPartialOrderReduction cannot explore tasks; use depthFirst") {
      _ = await Exploration(
        strategy: .dynamicPartialOrderReduction, seed: 1, executions: 1
      ).runTasks {}
    },
    Trap("an exploration of tasks cannot suspend one; use threads") {
      _ = await Exploration(
        strategy: .randomWalk, seed: 1, executions: 1, suspendsOneThread: true
      ).runTasks {}
    },
    Trap("the count of a semaphore must not be negative, got -1") { _ = Semaphore(-1) },
  ]
}
