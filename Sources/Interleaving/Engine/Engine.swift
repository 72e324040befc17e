#if Interleaving
  import CInterleaving
  import CShims
  import Primitives
  import Threading

  /// A scheduler of virtual threads, all of which run on one operating system thread, one at a
  /// time.
  ///
  /// Most steps begin with a *scheduling point*, at which the strategy decides which thread takes
  /// the next step. If it selects another thread, the scheduler switches to that thread, and the
  /// step of the current thread stays pending. No other thread runs between two scheduling points
  /// of a thread. Invariants:
  ///
  ///  1. `runnable` holds exactly the threads that may take a step. Each of these threads stores
  ///     its index in `runnable`.
  ///  2. A spinning thread is not runnable until another thread has taken a step.
  ///  3. The scenario is thread 0. It is never in `runnable`: it runs before the others, and after
  ///     all of them have ended.
  ///  4. The recording has every decision, even one without an alternative. The decisions determine
  ///     the execution.
  struct Engine {
    let state: UnsafeMutablePointer<EngineState>

    /// The engine that runs the caller.
    @inline(__always)
    static var current: Engine {
      Engine(
        state: UnsafeMutableRawPointer(mutating: cws_scheduler_get()!)
          .assumingMemoryBound(to: EngineState.self))
    }

    @inline(__always) var threads: UnsafeMutablePointer<VirtualThread> { state.pointee.threads }
    @inline(__always) var locations: UnsafeMutablePointer<Location> { state.pointee.locations }
    @inline(__always) var counts: UnsafeMutablePointer<Recording> {
      state.pointee.recordings.counts
    }

    // SplitMix64.
    @inline(__always)
    func draw() -> UInt64 {
      state.pointee.random &+= 0x9e37_79b9_7f4a_7c15
      return Exploration.mix(state.pointee.random)
    }

    /// Returns a number below `bound`. The bias is below 2⁻²⁴, because bounds are small.
    @inline(__always)
    func draw(below bound: Int) -> Int {
      let product = (draw() >> 32) &* UInt64(truncatingIfNeeded: bound)
      return Int(truncatingIfNeeded: product >> 32)
    }
  }

  /// The state of a scheduler.
  ///
  /// It is a flat structure behind a pointer, and code reads each field when it needs it. Virtual
  /// threads switch in the middle of functions, so a copy that the compiler keeps in a register
  /// across a switch would be outdated.
  struct EngineState {
    // This must be the first field: the operating system thread stores a pointer to the hooks,
    // which is also the pointer to this state.
    var hooks: cws_scheduler

    // The threads.
    var current = 0
    var threadCount = 0
    /// The number of threads that have not ended.
    var liveCount = 0
    var runnableCount = 0
    var spinnerCount = 0
    /// The number of entries in all store buffers.
    var bufferedCount = 0
    /// The number of these entries that are writes of updates.
    var updateCount = 0
    /// The suspended thread, -1 if there is none; the number of the decision at which to suspend
    /// one; whether one was suspended.
    var suspended = -1
    var suspendsAt = Int.max
    var hasSuspended = false
    /// Whether only the scenario runs, so that there are no decisions.
    var isAlone = true
    var hasClocks = true
    var stamp: UInt64 = 0

    // Reordered loads: the numbers of stores, of ended objects, and of sequentially consistent
    // operations, in all and before the last such fence; the steps before the fences.
    var valueNumber: UInt32 = 0
    var endedObjects: UInt32 = 0
    var totalCount: UInt32 = 0
    var totalAtFence: UInt32 = 0
    var fenced = Clock()
    /// The promise, if the recording says that one is pending.
    var promise = PendingPromise()

    // The plan.
    var strategy = EngineStrategy.randomWalk
    var hasBuffers = false
    var hasReorderedLoads = false
    var hasWeakenings = false
    var hasObserver = false
    var suspendsOneThread = false
    var stepLimit = 0
    var seed: UInt64 = 0
    var random: UInt64 = 0
    var drainThreshold: UInt64 = 0
    var depth = 0
    var preemptionCount = 0
    var preemptionBound = 0
    var changePointCount = 0
    var replayCount = 0

    // An update between its two halves.
    var updateLocation = 0
    var updateOrdering: UInt32 = 0
    var updateStep = 0

    // Tables.
    let recordings: Recordings
    let threads: UnsafeMutablePointer<VirtualThread>
    let runnable: UnsafeMutablePointer<Int32>
    let buffers: UnsafeMutablePointer<StoreBuffer.Entry>
    let locations: UnsafeMutablePointer<Location>
    let values: UnsafeMutablePointer<StoredValue>
    let words: UnsafeMutablePointer<PlainWord>
    let granules: UnsafeMutablePointer<UInt32>
    let arena: UnsafeMutablePointer<UInt8>
    let options: UnsafeMutablePointer<UInt16>
    let changePoints: UnsafeMutablePointer<Int>
    var replay: UnsafeMutablePointer<UInt16>?
    var locationTable = AddressTable()
    var wordTable = AddressTable()
    var arenaCount = 0

    // The stack pointer of the code that started the execution, and the execution.
    var rootStackPointer: UnsafeMutableRawPointer?
    var execution: Unmanaged<Execution>?

    init(hooks: cws_scheduler, stepCapacity: Int) {
      let threadCapacity = Schedule.mostThreads + 1
      self.hooks = hooks
      recordings = Recordings(stepCapacity: stepCapacity)
      threads = Tables.make(VirtualThread.self, capacity: threadCapacity)
      threads.initialize(repeating: VirtualThread(), count: threadCapacity)
      runnable = Tables.make(Int32.self, capacity: threadCapacity)
      buffers = Tables.make(
        StoreBuffer.Entry.self, capacity: threadCapacity * StoreBuffer.capacity)
      locations = Tables.make(Location.self, capacity: AddressTable.capacity)
      values = Tables.make(
        StoredValue.self, capacity: AddressTable.capacity * Schedule.mostValues)
      words = Tables.make(PlainWord.self, capacity: AddressTable.capacity)
      granules = Tables.make(UInt32.self, capacity: Arena.byteCount / Arena.granule)
      arena = Tables.make(UInt8.self, capacity: Arena.byteCount)
      options = Tables.make(UInt16.self, capacity: threadCapacity * (StoreBuffer.capacity + 2))
      changePoints = Tables.make(Int.self, capacity: Self.mostChangePoints)
    }

    static var mostChangePoints: Int { 32 }
  }

  /// The algorithm that takes the next decision.
  enum EngineStrategy: UInt8 {
    case randomWalk, probabilisticConcurrency, depthFirst, dynamicPartialOrderReduction, replay
  }

  /// The memory of nodes.
  enum Arena {
    static var byteCount: Int { 1 << 28 }
    /// The alignment of nodes, and the minimum distance between two of them.
    static var granule: Int { 16 }
    static var fresh: UInt8 { 0xa5 }
    static var reclaimed: UInt8 { 0xdd }
  }

  extension Engine {
    /// The functions that `Primitives` calls. Each uses the engine that runs the caller.
    static var hooks: cws_scheduler {
      cws_scheduler(
        load: { address, ordering, site in
          Engine.current.load(UnsafeMutablePointer(mutating: address!), ordering, site)
        },
        store: { Engine.current.store($0!, $1, $2, $3) },
        compare_exchange: { Engine.current.compareExchange($0!, $1, $2, $3, $4, $5) },
        begin_update: { Engine.current.beginUpdate($0!, $1, $2) },
        end_update: { Engine.current.endUpdate($0!, $1) },
        allocate: { Engine.current.allocate($0, $1, $2) },
        deallocate: { Engine.current.deallocate($0!, $1) },
        access: { Engine.current.access($0!, isWrite: $1, $2) },
        wait: { Engine.current.wait($0!, $1, $2) },
        wake_one: { Engine.current.wakeOne($0!, $1) },
        wake_all: { Engine.current.wakeAll($0!, $1) },
        barrier: { Engine.current.barrier($0) },
        spin: { Engine.current.spin($0) },
        lock: { Engine.current.lock($0!, isExclusive: $1, $2) },
        unlock: { Engine.current.unlock($0!, isExclusive: $1, $2) },
        try_lock: { Engine.current.tryLock($0!, $1) },
        fence: { Engine.current.fence($0, $1) },
        settle: { Engine.current.settle() },
        step: { Engine.current.mark($0) },
        last_release: { Engine.current.lastRelease(of: $0!, $1) },
        at_exit: { handler, value in
          let engine = Engine.current
          engine.threads[engine.state.pointee.current].exitHandler = handler
          engine.threads[engine.state.pointee.current].exitValue = value
        },
        // The scenario is 1, because no operating system thread has the number 0.
        thread_number: { UInt64(Engine.current.state.pointee.current + 1) })
    }
  }

  /// The idle engines. Reusing them saves the allocation of their large tables and stacks.
  enum EnginePool {
    private static let idle = Monitor<[Engine]>([])

    static func take(stepLimit: Int) -> Engine {
      let found = idle.change { engines -> Engine? in
        let index = engines.firstIndex { $0.state.pointee.recordings.stepCapacity >= stepLimit }
        return index.map { engines.remove(at: $0) }
      }
      return found ?? make(stepCapacity: max(stepLimit, 1 << 15))
    }

    static func giveBack(_ engine: Engine) {
      engine.forgetPlan()
      idle.change { $0.append(engine) }
    }

    private static func make(stepCapacity: Int) -> Engine {
      guard Exploration.isSwitchAvailable else {
        fatalError("virtual threads need x86-64 or arm64; check Exploration.isAvailable first")
      }
      cil_disable_exclusivity_checks()
      let state = UnsafeMutablePointer<EngineState>.allocate(capacity: 1)
      state.initialize(to: EngineState(hooks: Engine.hooks, stepCapacity: stepCapacity))
      return Engine(state: state)
    }
  }

  // @unchecked: only the caller that took an engine from the pool uses it.
  extension Engine: @unchecked Sendable {}
#endif
