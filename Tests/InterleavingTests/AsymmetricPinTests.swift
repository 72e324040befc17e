#if Interleaving
  import Interleaving
  import Primitives
  import Testing

  /// The argument for asymmetric pins at the head of `EpochDomain.swift`, as a program of a few
  /// words whose schedules are all tried: one reader that pins by a store, one unlinking, two
  /// advances of the epoch.
  struct AsymmetricPinTests {
    enum Order: CaseIterable {
      case epochBarrierScan, epochScan, epochScanBarrier, barrierEpochScan
    }

    // @unchecked: what is not atomic belongs to virtual threads, which take turns.
    private final class Memory: @unchecked Sendable {
      /// 0 when idle, else the epoch of the pin plus 1.
      let state = Atomic(0)
      let epoch = Atomic(0)
      let slot = Atomic(1)
      var tag: Int?
      var isReclaimed = false

      /// Whether the node was reclaimed while the reader had it.
      func read(pausing pause: () -> Void) -> Bool {
        let now = epoch.load(ordering: .sequentiallyConsistent)
        state.store(now + 1, ordering: .releasing)
        AsymmetricBarrier.light()
        guard slot.load(ordering: .sequentiallyConsistent) == 1 else { return false }
        pause()
        return isReclaimed
      }

      func unlink() {
        _ = slot.exchange(0, ordering: .sequentiallyConsistent)
        tag = epoch.load(ordering: .sequentiallyConsistent)
      }

      func advance(_ order: Order) {
        if order == .barrierEpochScan { _ = AsymmetricBarrier.heavy() }
        let now = epoch.load(ordering: .sequentiallyConsistent)
        if order == .epochBarrierScan { _ = AsymmetricBarrier.heavy() }
        let state = state.load(ordering: .sequentiallyConsistent)
        if order == .epochScanBarrier { _ = AsymmetricBarrier.heavy() }
        guard state == 0 || state == now + 1 else { return }
        _ = epoch.compareExchange(
          expected: now, desired: now + 1, ordering: .sequentiallyConsistent)
        if let tag, now + 1 >= tag + 2 { isReclaimed = true }
      }
    }

    @Test(arguments: Order.allCases)
    func
      `an asymmetric pin holds the epoch if the barrier stands between its load and the scan alone`(
        _ order: Order
      )
    {
      let plan = Exploration(
        strategy: .depthFirst(preemptionBound: 3), seed: 1, executions: 20_000_000,
        memory: .storeBuffers)
      let outcome = plan.run { execution in
        let memory = Memory()
        for _ in 0..<2 { execution.thread("advancer") { memory.advance(order) } }
        execution.thread("reader") {
          let isLate = memory.read { execution.pause() }
          execution.require(!isLate, "reclaimed while a reader has it")
        }
        execution.thread("writer") { memory.unlink() }
        execution.runThreads()
      }
      if order == .epochBarrierScan {
        #expect(outcome.isExhaustive && outcome.failure == nil, "\(outcome.executions)")
      } else {
        #expect(outcome.failure?.failure == .assertion("reclaimed while a reader has it"))
      }
    }
  }
#endif
