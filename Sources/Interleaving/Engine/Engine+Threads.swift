#if Interleaving
  import CInterleaving
  import CShims

  extension Engine {
    static var stackByteCount: Int { 256 << 10 }
    /// The stack size of the scenario, which may run any code, such as a check of a history.
    static var scenarioStackByteCount: Int { 8 << 20 }

    /// Creates a thread. All steps of the current thread so far happen before the new thread's
    /// steps.
    func makeThread() -> Int {
      noteSynchronization()
      drainAll(of: state.pointee.current)
      let thread = state.pointee.threadCount
      guard thread <= Schedule.mostThreads else {
        fatalError("an execution created more than \(Schedule.mostThreads) threads")
      }
      state.pointee.threadCount = thread + 1
      counts.pointee.threadCount = thread + 1
      state.pointee.liveCount += 1
      if thread > Clock.lanes { state.pointee.hasClocks = false }
      reset(thread)
      threads[thread].clock = currentClock
      threads[thread].loadBound = threads[state.pointee.current].loadBound
      if thread <= Clock.lanes { threads[thread].clock[thread - 1] = 1 }
      tick()
      threads[thread].priority = draw() | 1 << 63
      threads[thread].bufferPriority = draw() | 1 << 63
      return thread
    }

    private func reset(_ thread: Int) {
      let stack = threads[thread].stack ?? makeStack(Self.stackByteCount, thread)
      threads[thread] = VirtualThread()
      threads[thread].stack = stack
      threads[thread].stackPointer = cil_stack_prepare(stack) {
        Engine.current.runBody()
        Engine.current.endThread()
      }
    }

    /// Creates a stack. Each stack begins at another offset in a page, so that the stacks do not
    /// compete for the same cache sets.
    private func makeStack(_ byteCount: Int, _ thread: Int) -> UnsafeMutableRawPointer {
      guard let end = cil_stack_create(byteCount) else {
        fatalError("mmap of \(byteCount) bytes for a stack failed; check ulimit -v")
      }
      return end - thread % 16 * 256
    }

    /// Runs the current thread's closure. It is a function of its own, so that its references are
    /// released before `endThread`, which never returns.
    @inline(never)
    private func runBody() {
      let thread = state.pointee.current
      state.pointee.execution!.takeUnretainedValue().bodies[thread - 1].run()
      runExitHandlers()
    }

    /// Runs the thread's exit handlers. A handler may register another one.
    func runExitHandlers() {
      let thread = state.pointee.current
      while let handler = threads[thread].exitHandler {
        threads[thread].exitHandler = nil
        handler(threads[thread].exitValue)
      }
    }

    private func endThread() {
      let thread = state.pointee.current
      wake(waitingFor: UInt(thread), .thread)
      makeUnrunnable(thread, .finished)
      state.pointee.liveCount -= 1
      // Spinning threads may wait for the end of this one.
      if state.pointee.spinnerCount > 0 { wakeSpinners() }
      decide()
    }

    /// Runs all threads until they have ended; only the scenario calls this.
    func runThreads() {
      guard state.pointee.current == 0 else {
        fatalError(
          "thread \(state.pointee.current) called runThreads; only the scenario may call it")
      }
      guard state.pointee.liveCount > 0 else { return }
      state.pointee.isAlone = false
      decide()
      if state.pointee.strategy == .dynamicPartialOrderReduction { endReducedThreads() }
      breakPromiseAtEnd()
      state.pointee.isAlone = true
      joinAll()
    }

    /// Waits until the thread has ended.
    func join(_ thread: Int) {
      guard state.pointee.current != 0 else {
        fatalError("the scenario called join; it must call runThreads instead")
      }
      guard thread != state.pointee.current else {
        fatalError("thread \(thread) called join for itself")
      }
      schedulingPoint(before: PendingStep(kind: .join, peer: thread))
      noteSynchronization()
      if threads[thread].state != .finished { block(on: UInt(thread), .thread) }
      drainAll(of: thread)
      join(threads[thread].clock, by: state.pointee.current)
    }

    // MARK: The scenario's own thread

    /// Runs the scenario as thread 0, until it ends or fails.
    func runScenario() {
      let stack = threads[0].stack ?? makeStack(Self.scenarioStackByteCount, 0)
      threads[0] = VirtualThread()
      threads[0].stack = stack
      threads[0].stackPointer = cil_stack_prepare(stack) {
        Engine.current.runScenarioBody()
        Engine.current.leave()
      }
      var locals = cws_thread_locals()
      cws_thread_locals_save(&locals)
      cws_thread_locals_restore(&threads[0].locals)
      let outer = cws_scheduler_get()
      cws_scheduler_set(UnsafeRawPointer(state).assumingMemoryBound(to: cws_scheduler.self))
      let root = UnsafeMutableRawPointer(state)
        .advanced(by: MemoryLayout<EngineState>.offset(of: \.rootStackPointer)!)
        .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
      cil_switch(root, threads[0].stackPointer)
      cws_scheduler_set(outer)
      cws_thread_locals_restore(&locals)
    }

    @inline(never)
    private func runScenarioBody() {
      state.pointee.execution!.takeUnretainedValue().runScenario()
      runExitHandlers()
      checkLeaks()
    }

    /// Ends the execution and abandons the stacks of its threads.
    func leave() -> Never {
      cil_switch(stackPointer(of: state.pointee.current), state.pointee.rootStackPointer)
      fatalError("an execution continued after its end; this is a bug in Interleaving")
    }
  }

  extension Engine {
    func wait(_ word: UnsafePointer<UInt64>, _ expected: UInt64, _ site: cws_site) {
      schedulingPoint(
        before: PendingStep(
          kind: .wait, address: UInt(bitPattern: word),
          ordering: UInt32(CWS_SEQUENTIALLY_CONSISTENT)))
      noteSynchronization()
      // The system's wait reads the word as a sequentially consistent load would.
      drainAll(of: state.pointee.current)
      passTime()
      let location = location(of: word)
      publishUpdate(at: location)
      let address = UInt(bitPattern: word)
      let step = record(.wait, site, address: address, value: word.pointee)
      checkNode(at: address, step)
      if word.pointee == expected { block(on: address, .word) }
    }

    /// Wakes all threads that wait on the word. The steps of the caller happen before their next
    /// steps.
    func wakeAll(_ word: UnsafePointer<UInt64>, _ site: cws_site) {
      wake(word, site, atMost: .max)
    }

    /// Wakes the thread with the lowest number among those that wait on the word.
    func wakeOne(_ word: UnsafePointer<UInt64>, _ site: cws_site) {
      wake(word, site, atMost: 1)
    }

    private func wake(_ word: UnsafePointer<UInt64>, _ site: cws_site, atMost limit: Int) {
      let address = UInt(bitPattern: word)
      schedulingPoint(before: PendingStep(kind: .wake, address: address))
      record(.wake, site, address: address)
      noteSynchronization()
      drainAll(of: state.pointee.current)
      wake(waitingFor: address, .word, atMost: limit)
      tick()
    }

    func spin(_ site: cws_site) {
      record(.spin, site)
      passTime()
      if state.pointee.isAlone { return }
      makeUnrunnable(state.pointee.current, .spinning)
      state.pointee.spinnerCount &+= 1
      decide()
    }

    func lock(_ lock: UnsafeRawPointer, isExclusive: Bool, _ site: cws_site) {
      schedulingPoint(
        before: PendingStep(
          kind: .lock, address: UInt(bitPattern: lock), isExclusive: isExclusive))
      let location = location(of: lock)
      while locations[location].owner >= 0 || isExclusive && locations[location].sharers > 0 {
        block(on: UInt(bitPattern: lock), .lock)
      }
      if isExclusive {
        locations[location].owner = Int32(state.pointee.current)
      } else {
        locations[location].sharers += 1
      }
      noteSynchronization()
      record(.lock, site, address: UInt(bitPattern: lock), value: isExclusive ? 1 : 0)
      acquire(location)
    }

    func unlock(_ lock: UnsafeRawPointer, isExclusive: Bool, _ site: cws_site) {
      schedulingPoint(before: PendingStep(kind: .unlock, address: UInt(bitPattern: lock)))
      let location = location(of: lock)
      let holds =
        isExclusive
        ? locations[location].owner == Int32(state.pointee.current)
        : locations[location].sharers > 0
      record(.unlock, site, address: UInt(bitPattern: lock), value: isExclusive ? 1 : 0)
      noteSynchronization()
      guard holds else { fail(.assertion, site, "a thread unlocked a lock that it did not hold") }
      drainAll(of: state.pointee.current)
      if isExclusive {
        locations[location].owner = -1
      } else {
        locations[location].sharers -= 1
      }
      locations[location].clock.join(currentClock)
      tick()
      wake(waitingFor: UInt(bitPattern: lock), .lock)
    }

    /// Acquires a lock exclusively if it is free; returns whether it was.
    func tryLock(_ lock: UnsafeRawPointer, _ site: cws_site) -> Bool {
      schedulingPoint(
        before: PendingStep(kind: .tryLock, address: UInt(bitPattern: lock), isExclusive: true))
      let location = location(of: lock)
      let isFree = locations[location].owner < 0 && locations[location].sharers == 0
      noteSynchronization()
      record(.lock, site, address: UInt(bitPattern: lock), value: isFree ? 1 : 2)
      guard isFree else { return false }
      locations[location].owner = Int32(state.pointee.current)
      acquire(location)
      return true
    }

    func mark(_ site: cws_site) {
      schedulingPoint(before: PendingStep(kind: .mark))
      record(.mark, site)
    }

    func lastRelease(of object: UnsafeRawPointer, _ site: cws_site) {
      record(.lastRelease, site, address: UInt(bitPattern: object))
      drainAll(within: object)
      joinAll()
    }

    /// Blocks the current thread until `wake(waitingFor:_:atMost:)` wakes it.
    func block(on address: UInt, _ reason: VirtualThread.Wait) {
      let thread = state.pointee.current
      if state.pointee.isAlone { failWaiting() }
      threads[thread].wait = reason
      threads[thread].waitAddress = address
      makeUnrunnable(thread, .waiting)
      decide()
    }

    func wake(waitingFor address: UInt, _ reason: VirtualThread.Wait, atMost limit: Int = .max) {
      var room = limit
      for thread in 1..<max(1, state.pointee.threadCount)
      where threads[thread].state == .waiting && threads[thread].waitAddress == address
        && threads[thread].wait == reason && room > 0
      {
        room -= 1
        threads[thread].wait = .none
        // A thread that waits for a lock joins the clock of the lock when it acquires the lock.
        if reason != .lock { join(currentClock, by: thread) }
        makeRunnable(thread)
      }
    }
  }
#endif
