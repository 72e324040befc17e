#if Interleaving
  import CShims

  // The strategy of dynamic partial-order reduction. `Reduction` has the algorithm. This file
  // provides the algorithm's view of an execution: the processes that can take their next step, and
  // the event that the last decision has executed.
  //
  // With this strategy, a thread reports each step before it takes the step (`reduce(before:)`), so
  // the engine knows all pending steps. It runs a thread only if the step neither blocks nor drains
  // a buffer first: the drains that the rules of `StoreBuffer` require become decisions of their
  // own, before the step. The start of a thread is a decision too, because the thread's first step
  // is known only afterwards.

  /// The step that a thread takes next.
  struct PendingStep {
    enum Kind: UInt8 {
      /// The thread has not begun, or continues after a wait or a spin.
      case begin, resume
      case load, store, update, wait, wake, lock, unlock, barrier, barrierOnThread, join, mark
      case fence
      /// An attempt to take a lock, which does not block.
      case tryLock
    }

    var kind: Kind
    var address: UInt = 0
    var ordering: UInt32 = 0
    var isExclusive = false
    /// The thread of a join or of a barrier's effect.
    var peer: Int = 0
  }

  /// A thread in an execution with dynamic partial-order reduction.
  private struct ReducedThread {
    var pending = PendingStep(kind: .begin)
    var wasRunnable = true
    /// Whether the pending step is the end of a spin.
    var spins = false
    /// The values of these fields in the thread's next event; see `Event`.
    var enabledBy: Int32 = -1
    var after: Int32 = 0
  }

  /// The state of a search with dynamic partial-order reduction.
  final class ReducedSearch {
    fileprivate var reduction = Reduction()
    /// The threads by number; the scenario is the first.
    fileprivate var threads: [ReducedThread] = []
    fileprivate var openEvent: OpenEvent?

    /// The event that the current decision executes, with the state before it.
    fileprivate struct OpenEvent {
      var event: Event
      /// The ordering of the pending step; a failed compare-exchange records another one.
      var ordering: UInt32
      var firstStep: Int
      var stamp: UInt64
      var threadCount: Int
      var hasStores: Bool
    }

    func beginExecution() {
      reduction.beginExecution()
      threads.removeAll(keepingCapacity: true)
      openEvent = nil
    }
  }

  extension Engine {
    private var search: ReducedSearch {
      state.pointee.execution!.takeUnretainedValue().reducedSearch!
    }

    /// Reports the next step of the current thread, and lets other threads take steps before it.
    func reduce(before step: PendingStep) {
      search.threads[state.pointee.current].pending = step
      decide()
    }

    /// Ends the last event before the scenario continues.
    func endReducedThreads() {
      closeEvent(search)
    }

    /// Counts the execution, and prepares the next one; returns false if there is none.
    func advanceReduction() -> Bool {
      let search = self.search
      if search.reduction.isBlocked { counts.pointee.blockedExecutions &+= 1 }
      return search.reduction.advance()
    }

    func reducedDecision() -> UInt16 {
      let search = self.search
      let event = closeEvent(search)
      noteRunnableThreads(search, enabledBy: event)
      guard let process = nextProcess(search) else {
        // Only spinning threads can continue. So let the other threads block: then the engine wakes
        // the spinning threads, or reports a deadlock.
        guard state.pointee.runnableCount > 0 else {
          fatalError("a store buffer cannot drain; this is a bug in Interleaving")
        }
        return Decision.runCode(state.pointee.runnable[0])
      }
      let decision = decision(for: process, search)
      if !search.reduction.isBlocked { openEvent(process, search) }
      // The thread executes local code, waits or spins until it reports its next step.
      if !process.isBuffer {
        search.threads[process.thread].pending = PendingStep(kind: .resume)
        search.threads[process.thread].spins = false
      }
      return decision.code
    }

    private func nextProcess(_ search: ReducedSearch) -> Process? {
      if search.reduction.isBlocked { return enabledProcesses(search).first }
      if let process = search.reduction.repeated, isEnabled(process, search) { return process }
      let enabled = enabledProcesses(search)
      if enabled.isEmpty { return nil }
      if search.reduction.repeated != nil { failMismatch() }
      return search.reduction.select(among: enabled) ?? enabled.first
    }

    private func decision(for process: Process, _ search: ReducedSearch) -> Decision {
      if process.isBuffer {
        return .drain(thread: process.thread, entry: oldestEntry(of: process)!)
      }
      return search.threads[process.thread].pending.kind == .begin
        ? .begin(thread: process.thread) : .run(thread: process.thread)
    }

    /// Returns the index of the oldest entry of the process; `nil` if there is none.
    private func oldestEntry(of process: Process) -> Int? {
      let entries = entries(of: process.thread)
      return (0..<Int(threads[process.thread].bufferCount)).first {
        entries[$0].location == process.location
      }
    }
  }

  // MARK: Enabled processes

  extension Engine {
    /// Returns the processes that can take their next step, in the order of preference: threads
    /// that have not begun, the current thread, the other threads, drains.
    private func enabledProcesses(_ search: ReducedSearch) -> [Process] {
      let current = state.pointee.current
      let threads = 1..<state.pointee.threadCount
      var processes: [Process] = []
      for thread in threads where search.threads[thread].pending.kind == .begin {
        processes.append(Process(thread: thread))
      }
      if isEnabled(thread: current, search) { processes.append(Process(thread: current)) }
      for thread in threads
      where thread != current && search.threads[thread].pending.kind != .begin
        && isEnabled(thread: thread, search)
      {
        processes.append(Process(thread: thread))
      }
      guard state.pointee.bufferedCount > 0 else { return processes }
      for thread in threads {
        let entries = entries(of: thread)
        for entry in 0..<Int(self.threads[thread].bufferCount)
        where isReadyToDrain(thread, entry) {
          processes.append(Process(storesOf: thread, to: Int(entries[entry].location)))
        }
      }
      return processes
    }

    private func isEnabled(_ process: Process, _ search: ReducedSearch) -> Bool {
      if !process.isBuffer { return isEnabled(thread: process.thread, search) }
      guard let entry = oldestEntry(of: process) else { return false }
      return isReadyToDrain(process.thread, entry)
    }

    /// Whether the entry can be drained, and no update of another thread must be drained before it.
    private func isReadyToDrain(_ thread: Int, _ entry: Int) -> Bool {
      guard isDrainable(thread, entry) else { return false }
      let entry = entries(of: thread)[entry]
      return entry.isUpdate || !hasForeignUpdate(Int(entry.location), thread)
    }

    private func hasForeignUpdate(_ location: Int, _ thread: Int) -> Bool {
      let updater = Int(locations[location].updater)
      return updater >= 0 && updater != thread
    }

    /// Whether the thread's pending step neither blocks nor drains a buffer.
    private func isEnabled(thread: Int, _ search: ReducedSearch) -> Bool {
      guard isRunnable(thread) else { return false }
      let step = search.threads[thread].pending
      switch step.kind {
      case .begin, .resume, .load, .mark, .tryLock: return true
      case .fence: return !step.ordering.isTotal || threads[thread].bufferCount == 0
      case .lock: return isFree(step)
      case .join:
        return threads[step.peer].state == .finished && threads[step.peer].bufferCount == 0
      case .barrierOnThread: return threads[step.peer].bufferCount == 0
      case .wake, .unlock, .barrier: return threads[thread].bufferCount == 0
      case .store, .update, .wait: return !state.pointee.hasBuffers || drainsNothing(step, thread)
      }
    }

    private func isFree(_ step: PendingStep) -> Bool {
      guard let location = state.pointee.locationTable.existingIndex(of: step.address) else {
        return true
      }
      return locations[location].owner < 0 && !(step.isExclusive && locations[location].sharers > 0)
    }

    /// Whether rules 3 to 5 of `StoreBuffer` let the thread store or update without a drain.
    private func drainsNothing(_ step: PendingStep, _ thread: Int) -> Bool {
      let isTotal = step.ordering.isTotal
      if step.kind == .store, !isTotal { return true }
      if isTotal, threads[thread].bufferCount > 0 { return false }
      guard let location = state.pointee.locationTable.existingIndex(of: step.address) else {
        return true
      }
      if hasForeignUpdate(location, thread) { return false }
      if isTotal { return true }
      let entries = entries(of: thread)
      for entry in 0..<Int(threads[thread].bufferCount) {
        let own = Int(entries[entry].location)
        if own == location || step.ordering.releases && hasForeignUpdate(own, thread) {
          return false
        }
      }
      return !(1..<state.pointee.threadCount).contains {
        $0 != thread && hasUpdate($0, behindStoreTo: location)
      }
    }

    private func hasUpdate(_ thread: Int, behindStoreTo location: Int) -> Bool {
      guard threads[thread].updateCount > 0 else { return false }
      let entries = entries(of: thread)
      let count = Int(threads[thread].bufferCount)
      guard let store = (0..<count).first(where: { entries[$0].location == location }) else {
        return false
      }
      return (store..<count).contains { entries[$0].isUpdate }
    }
  }

  // MARK: Events

  extension Engine {
    /// Returns the next event of a process, with the accesses that are known before the event.
    private func nextEvent(of process: Process, _ search: ReducedSearch) -> Event {
      var event = Event(process: process)
      if process.isBuffer {
        let entry = entries(of: process.thread)[oldestEntry(of: process)!]
        event.address = UInt(bitPattern: entry.address)
        event.entry = entry.step
        event.accesses = [.writesMemory, entry.isUpdate ? .drainsUpdate : .needsUpdates]
        if entry.isReleasing { event.accesses.insert(.drainsRelease) }
        return event
      }
      let thread = search.threads[process.thread]
      event.address = thread.pending.address
      event.peer = Int32(truncatingIfNeeded: thread.pending.peer)
      switch thread.pending.kind {
      case .resume where thread.spins: event.accesses = .anything
      case .begin, .resume:
        event.enabledBy = thread.enabledBy
        event.after = thread.after
      case .load:
        event.accesses = .readsMemory
        if let entry = newestEntry(of: process.thread, at: event.address) {
          event.accesses = .forwards
          event.entry = entry.step
        }
      case .join: event.accesses = .joins
      case .barrierOnThread: event.accesses = .drainsPeer
      case .fence: event.accesses = fenceAccesses(thread.pending.ordering)
      case .tryLock: event.accesses = [.anything, .attempts]
      default: break
      }
      return event
    }

    /// Without buffers, and if it only acquires, a fence changes nothing but the clocks of its
    /// thread.
    private func fenceAccesses(_ ordering: UInt32) -> Accesses {
      guard state.pointee.hasBuffers, ordering.releases else { return [] }
      return ordering.isTotal ? .flushes : .fences
    }

    private func newestEntry(of thread: Int, at address: UInt) -> StoreBuffer.Entry? {
      let entries = entries(of: thread)
      return (0..<Int(threads[thread].bufferCount)).last {
        UInt(bitPattern: entries[$0].address) == address
      }.map { entries[$0] }
    }

    private func openEvent(_ process: Process, _ search: ReducedSearch) {
      search.reduction.noteSleepers { nextEvent(of: $0, search) }
      search.openEvent = ReducedSearch.OpenEvent(
        event: nextEvent(of: process, search),
        ordering: search.threads[process.thread].pending.ordering,
        firstStep: counts.pointee.stepCount,
        stamp: state.pointee.stamp, threadCount: state.pointee.threadCount,
        hasStores: threads[process.thread].bufferCount > 0)
    }

    /// Ends the event of the last decision and returns its number; `nil` if there is none.
    @discardableResult
    private func closeEvent(_ search: ReducedSearch) -> Int32? {
      guard let open = search.openEvent else { return nil }
      search.openEvent = nil
      var event = open.event
      if state.pointee.stamp != open.stamp { event.accesses.insert(.stamps) }
      if state.pointee.threadCount != open.threadCount { event.accesses.insert(.createsThreads) }
      if !event.process.isBuffer { addSteps(to: &event, open, search) }
      if !search.reduction.append(event) { failMismatch() }
      return Int32(truncatingIfNeeded: search.reduction.depth - 1)
    }

    private func noteRunnableThreads(_ search: ReducedSearch, enabledBy event: Int32?) {
      let depth = Int32(truncatingIfNeeded: search.reduction.depth)
      for thread in 0..<state.pointee.threadCount {
        let isNew = thread == search.threads.count
        if isNew { search.threads.append(ReducedThread()) }
        let isRunnable = isRunnable(thread)
        if isRunnable, isNew || !search.threads[thread].wasRunnable {
          search.threads[thread].enabledBy = event ?? -1
          search.threads[thread].after = event == nil ? depth : 0
        }
        search.threads[thread].wasRunnable = isRunnable
      }
    }

    /// Adds the accesses of the recorded steps of a thread's event.
    private func addSteps(
      to event: inout Event, _ open: ReducedSearch.OpenEvent, _ search: ReducedSearch
    ) {
      for step in open.firstStep..<counts.pointee.stepCount {
        let record = state.pointee.recordings.trace[step]
        let kind = Step.Kind(rawValue: record.kind)!
        if kind == .drain {
          // The start of a thread, the release of an object or a full buffer drained this entry.
          event.accesses.insert(.anything)
          search.reduction.tryDrains(of: Int(record.thread))
        } else {
          if kind == .spin { search.threads[event.process.thread].spins = true }
          add(kind, record, Int32(truncatingIfNeeded: step), to: &event, open)
        }
      }
    }

    private func add(
      _ kind: Step.Kind, _ record: StepRecord, _ step: Int32, to event: inout Event,
      _ open: ReducedSearch.OpenEvent
    ) {
      let hasBuffers = state.pointee.hasBuffers
      let thread = event.process.thread
      let isTotal = open.ordering.isTotal
      switch kind {
      case .load, .suspend, .drain: break
      case .store:
        if hasBuffers, !isTotal {
          event.accesses.insert(.buffersStore)
          event.step = step
        } else {
          event.accesses.formUnion([.writesMemory, .flushes, .needsUpdates])
        }
      case .update, .compareExchange, .failedCompareExchange:
        addUpdate(isFailed: kind == .failedCompareExchange, isTotal, to: &event, open)
        if event.accesses.has(.buffersUpdate) { event.step = step }
      case .wait:
        event.accesses.formUnion([.readsMemory, .readsUpdates, .flushes, .needsUpdates])
        let isWaiting = threads[thread].state == .waiting && threads[thread].wait == .word
        if isWaiting { event.accesses.insert(.blocks) }
      case .wake: event.accesses.formUnion([.wakes, .flushes])
      case .lock where record.value == 2: break  // An attempt that failed.
      case .lock: event.accesses.insert(record.value == 1 ? .locksExclusively : .locksShared)
      case .unlock:
        event.accesses.formUnion(
          [record.value == 1 ? .unlocksExclusively : .unlocksShared, .flushes])
      case .barrier: event.accesses.insert(.flushes)
      case .fence: event.accesses.formUnion(fenceAccesses(open.ordering))
      // No thread takes a step of the kind `run`, which is one of tasks.
      case .spin, .mark, .lastRelease, .run: event.accesses.insert(.anything)
      case .read, .write, .allocate, .deallocate:
        // Without clocks, the engine does not check that atomic operations order these.
        if !state.pointee.hasClocks { event.accesses.insert(.anything) }
      }
    }

    private func addUpdate(
      isFailed: Bool, _ isTotal: Bool, to event: inout Event, _ open: ReducedSearch.OpenEvent
    ) {
      event.accesses.insert(.readsMemory)
      guard state.pointee.hasBuffers else {
        if !isFailed { event.accesses.insert(.writesMemory) }
        return
      }
      event.accesses.formUnion([isFailed ? .readsUpdates : .writesUpdates, .needsUpdates])
      if isTotal {
        event.accesses.formUnion(isFailed ? .flushes : [.flushes, .writesMemory])
        return
      }
      event.accesses.insert(.updates)
      if !isFailed { event.accesses.insert(.buffersUpdate) }
      if open.hasStores { event.accesses.insert(.updatesBehindStores) }
    }
  }
#endif
