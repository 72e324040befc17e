#if Interleaving
  import CShims

  /// Everything a scheduler knows while it runs an execution.
  ///
  /// Flat, behind a pointer, and read field by field: virtual threads leave functions half-way, so
  /// nothing that the compiler may keep in a register across a switch can hold it.
  struct EngineState {
    // First: the pointer to the hooks, which this thread of the system has, is the pointer to all.
    var hooks: cws_scheduler

    // Who runs.
    var current = 0
    var threadCount = 0
    /// Threads that have not ended.
    var liveCount = 0
    var runnableCount = 0
    var spinnerCount = 0
    /// Entries in all store buffers.
    var bufferedCount = 0
    /// Of these, second halves of updates.
    var updateCount = 0
    /// The thread that is suspended, -1 if none; the decision after which to suspend, and whether
    /// one was.
    var suspended = -1
    var suspendsAt = Int.max
    var hasSuspended = false
    /// The scenario runs, and no other thread exists: nothing is to be decided.
    var isAlone = true
    var hasClocks = true
    var stamp: UInt64 = 0

    // The plan.
    var strategy = EngineStrategy.randomWalk
    var hasBuffers = false
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
    let words: UnsafeMutablePointer<PlainWord>
    let granules: UnsafeMutablePointer<UInt32>
    let arena: UnsafeMutablePointer<UInt8>
    let options: UnsafeMutablePointer<UInt16>
    let changePoints: UnsafeMutablePointer<Int>
    var replay: UnsafeMutablePointer<UInt16>?
    var locationTable = AddressTable()
    var wordTable = AddressTable()
    var arenaCount = 0

    // Where the execution was entered, and what is whose.
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
      words = Tables.make(PlainWord.self, capacity: AddressTable.capacity)
      granules = Tables.make(UInt32.self, capacity: Arena.byteCount / Arena.granule)
      arena = Tables.make(UInt8.self, capacity: Arena.byteCount)
      options = Tables.make(UInt16.self, capacity: threadCapacity * (StoreBuffer.capacity + 2))
      changePoints = Tables.make(Int.self, capacity: Self.mostChangePoints)
    }

    static var mostChangePoints: Int { 32 }
  }

  /// How the next decision is taken.
  enum EngineStrategy: UInt8 {
    case randomWalk, probabilisticConcurrency, depthFirst, replay
  }

  /// The memory of nodes.
  enum Arena {
    static var byteCount: Int { 1 << 28 }
    /// Nodes begin at multiples of this, and at least so much lies between two.
    static var granule: Int { 16 }
    static var fresh: UInt8 { 0xa5 }
    static var reclaimed: UInt8 { 0xdd }
  }
#endif
