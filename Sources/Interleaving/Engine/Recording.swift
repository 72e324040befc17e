#if Interleaving
  import CShims

  /// The record of a step while an execution runs.
  struct StepRecord {
    var site: cws_site
    var thread: UInt8
    var kind: UInt8
    var ordering: UInt8
    /// Whether a load returned the value of a later store.
    var isPromised = false
    /// The index of the node plus one; 0 for other memory.
    var node: UInt32
    var address: UInt
    var value: UInt64
    var previous: UInt64
  }

  /// The record of a failure; its text is in `Recordings.message`.
  struct FailureRecord {
    enum Kind: UInt8 {
      case none, assertion, useAfterReclaim, doubleReclaim, reclaimedInUse, strayAccess, dataRace
      case leak, lostProgress, deadlock, stepsWithoutEnd, scheduleMismatch
    }

    var kind = Kind.none
    var first = cws_site()
    var second = cws_site()
    var count = 0
  }

  /// The counts of an exploration and of the current execution.
  ///
  /// They are in memory that child processes share, as are the tables. So the parent can read the
  /// current execution of a child, however the child has ended.
  struct Recording {
    var executions: UInt64 = 0
    var blockedExecutions: UInt64 = 0
    var steps: UInt64 = 0
    var switches: UInt64 = 0
    var weakenedSteps: UInt64 = 0
    /// The number of decisions of the measuring execution; 0 before it.
    var measuredDecisions = 0
    /// The number of choices that the next execution of a depth-first search repeats.
    var pathCount = 0
    var isExhausted = false
    /// Whether the parent process requests the end of the exploration.
    var mustStop = false

    var execution: UInt64 = 0
    var stepCount = 0
    var decisionCount = 0
    var threadCount = 0
    var nodeCount = 0
    var failure = FailureRecord()
    var messageCount = 0
    /// The number of threads whose names are recorded. The first execution that creates a thread
    /// records its name.
    var nameCount = 0

    /// The number of executions that ended with a broken promise.
    var brokenExecutions: UInt64 = 0
    /// The number of promises that the search knows, and the number of these that it may use.
    var knownPromiseCount = 0
    var usablePromiseCount = 0
    /// The number of promises of the current execution.
    var promiseCount = 0
    var promise = PromiseState.kept
  }

  /// The shared tables.
  struct Recordings {
    static var messageCapacity: Int { 2048 }
    static var nameCapacity: Int { 32 }
    static var nodeCapacity: Int { 1 << 16 }

    let stepCapacity: Int
    let counts: UnsafeMutablePointer<Recording>
    let trace: UnsafeMutablePointer<StepRecord>
    let decisions: UnsafeMutablePointer<UInt16>
    let path: UnsafeMutablePointer<Choice>
    let nodes: UnsafeMutablePointer<Node>
    let promises: UnsafeMutablePointer<PromisedStore>
    let knownPromises: UnsafeMutablePointer<KnownPromise>
    /// For each known promise, what the storing thread had read up to the store.
    let promisedReads: UnsafeMutablePointer<ReadHashes>
    /// For each hash of an access, the index, plus one, of its first known promise.
    let promiseHeads: UnsafeMutablePointer<Int32>
    let message: UnsafeMutablePointer<UInt8>
    let names: UnsafeMutablePointer<UInt8>

    init(stepCapacity: Int) {
      self.stepCapacity = stepCapacity
      counts = Tables.makeShared(Recording.self, capacity: 1)
      counts.initialize(to: Recording())
      trace = Tables.makeShared(StepRecord.self, capacity: stepCapacity + 1)
      decisions = Tables.makeShared(UInt16.self, capacity: Schedule.longest)
      path = Tables.makeShared(Choice.self, capacity: Schedule.longest)
      nodes = Tables.makeShared(Node.self, capacity: Self.nodeCapacity)
      promises = Tables.makeShared(
        PromisedStore.self, capacity: PromisedStore.mostInExecution)
      knownPromises = Tables.makeShared(
        KnownPromise.self, capacity: PromisedStore.mostInSearch)
      promisedReads = Tables.makeShared(
        ReadHashes.self, capacity: PromisedStore.mostInSearch)
      promiseHeads = Tables.makeShared(Int32.self, capacity: PromisedStore.mostInSearch)
      message = Tables.makeShared(UInt8.self, capacity: Self.messageCapacity)
      names = Tables.makeShared(
        UInt8.self, capacity: (Schedule.mostThreads + 1) * Self.nameCapacity)
    }
  }

  extension Engine {
    @inline(__always)
    func record(decision code: UInt16) {
      let count = counts.pointee.decisionCount
      // Decisions without steps can continue indefinitely: threads wake, and find a lock taken
      // again.
      if count >= Schedule.longest { failEndless() }
      state.pointee.recordings.decisions[count] = code
      counts.pointee.decisionCount = count &+ 1
    }

    /// Records a step of the current thread, wakes the spinning threads if the step can end a spin,
    /// and returns the step's number.
    @inline(__always)
    @discardableResult
    func record(
      _ kind: Step.Kind, _ site: cws_site, address: UInt = 0, ordering: UInt32 = 0xff,
      value: UInt64 = 0, previous: UInt64 = 0
    ) -> Int {
      let step = record(
        kind, by: state.pointee.current, site, address: address, ordering: ordering, value: value,
        previous: previous)
      if state.pointee.spinnerCount > 0, kind.endsSpins { wakeSpinners() }
      if state.pointee.hasObserver { observe(step) }
      return step
    }

    /// Records a step without waking the spinning threads, and returns its number.
    @inline(__always)
    @discardableResult
    func record(
      _ kind: Step.Kind, by thread: Int, _ site: cws_site, address: UInt = 0,
      ordering: UInt32 = 0xff, value: UInt64 = 0, previous: UInt64 = 0
    ) -> Int {
      let step = counts.pointee.stepCount
      if step >= state.pointee.stepLimit { failEndless() }
      state.pointee.recordings.trace[step] = StepRecord(
        site: site, thread: UInt8(truncatingIfNeeded: thread), kind: kind.rawValue,
        ordering: UInt8(truncatingIfNeeded: ordering), node: 0, address: address, value: value,
        previous: previous)
      counts.pointee.stepCount = step &+ 1
      return step
    }

    @inline(__always)
    func site(ofStep step: Int) -> cws_site { state.pointee.recordings.trace[step].site }

    @inline(never)
    private func observe(_ step: Int) {
      let execution = state.pointee.execution!.takeUnretainedValue()
      execution.observer?(ObservedStep(state.pointee.recordings.trace[step]))
    }
  }

  extension Step.Kind {
    /// Whether the step can change what a spinning thread waits for. An update can only by another
    /// value, which its end knows. Otherwise threads that spin could wake each other indefinitely,
    /// while the thread that they wait for has a lower priority.
    fileprivate var endsSpins: Bool {
      switch self {
      case .load, .read, .failedCompareExchange, .spin, .update, .compareExchange: false
      default: true
      }
    }
  }
#endif
