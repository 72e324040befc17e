#if Interleaving
  import CInterleaving
  import CShims

  extension Engine {
    /// Lets other threads take steps before the next step of the current thread.
    @inline(__always)
    func schedulingPoint(before step: @autoclosure () -> PendingStep) {
      if state.pointee.isAlone { return }
      if threads[state.pointee.current].reportsNextStep {
        report(step())
      } else {
        decide()
      }
    }

    @inline(never)
    private func report(_ step: PendingStep) {
      if state.pointee.strategy == .dynamicPartialOrderReduction { return reduce(before: step) }
      let thread = threads + state.pointee.current
      thread.pointee.reportsNextStep = false
      if thread.pointee.beginsAlone { decide() }
    }

    /// Takes decisions until one of them runs the current thread. Never returns if that thread has
    /// ended.
    func decide() {
      while true {
        if state.pointee.runnableCount == 0, state.pointee.bufferedCount == 0 {
          if state.pointee.liveCount == 0 { return resume(0) }
          unblock()
        }
        let code = nextDecision()
        record(decision: code)
        if let thread = Decision.threadToRun(code) { return resume(thread) }
        switch Decision(code: code) {
        case .run(let thread): return resume(thread)
        case .begin(let thread):
          threads[thread].beginsAlone = true
          return resume(thread)
        case .drain(let thread, let entry): drain(thread, entry)
        case .suspend(let thread): suspend(thread)
        case .read, .readPromise: fatalError("only a load decides what it reads")
        }
      }
    }

    @inline(__always)
    func resume(_ next: Int) {
      let previous = state.pointee.current
      if next == previous { return }
      cws_thread_locals_save(&threads[previous].locals)
      cws_thread_locals_restore(&threads[next].locals)
      state.pointee.current = next
      counts.pointee.switches &+= 1
      cil_switch(stackPointer(of: previous), threads[next].stackPointer)
    }

    /// Returns the address of the thread's stack pointer, which is its first field.
    @inline(__always)
    func stackPointer(of thread: Int) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
      UnsafeMutableRawPointer(threads + thread)
        .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    // MARK: Runnable threads

    @inline(__always)
    func makeRunnable(_ thread: Int) {
      let place = state.pointee.runnableCount
      threads[thread].state = .runnable
      threads[thread].place = Int32(truncatingIfNeeded: place)
      state.pointee.runnable[place] = Int32(truncatingIfNeeded: thread)
      state.pointee.runnableCount = place &+ 1
    }

    /// Removes `thread` from the runnable threads; the last one takes its place.
    func makeUnrunnable(_ thread: Int, _ reason: VirtualThread.State) {
      let place = Int(threads[thread].place)
      let last = state.pointee.runnableCount &- 1
      let moved = state.pointee.runnable[last]
      state.pointee.runnable[place] = moved
      threads[Int(moved)].place = Int32(truncatingIfNeeded: place)
      threads[thread].place = -1
      threads[thread].state = reason
      state.pointee.runnableCount = last
    }

    /// Resumes the spinning threads or, if there are none, the suspended thread. Fails if there is
    /// none either.
    ///
    /// Called when no thread is runnable and all store buffers are empty.
    func unblock() {
      if state.pointee.spinnerCount > 0 { return wakeSpinners() }
      if state.pointee.liveCount == 1, state.pointee.suspended >= 0 {
        makeRunnable(state.pointee.suspended)
        state.pointee.suspended = -1
        return
      }
      failWaiting()
    }

    func wakeSpinners() {
      for thread in 1..<state.pointee.threadCount where threads[thread].state == .spinning {
        makeRunnable(thread)
      }
      state.pointee.spinnerCount = 0
    }

    func suspend(_ thread: Int) {
      makeUnrunnable(thread, .suspended)
      state.pointee.suspended = thread
      state.pointee.hasSuspended = true
      record(.suspend, by: thread, cws_site())
    }
  }

  extension Engine {
    /// Runs executions up to number `end`, until one fails or is abandoned, or the search is
    /// exhausted.
    func explore(_ plan: Exploration, to end: UInt64) {
      while counts.pointee.execution < end, !counts.pointee.mustStop, !counts.pointee.isExhausted {
        let isMeasuring = plan.needsMeasuring && counts.pointee.measuredDecisions == 0
        // The measuring execution has the number 0, even if the exploration begins with another
        // one.
        let next = counts.pointee.execution
        if isMeasuring { counts.pointee.execution = 0 }
        begin(plan, isMeasuring: isMeasuring)
        runScenario()
        if counts.pointee.promise == .abandoned, counts.pointee.failure.kind == .none { return }
        countExecution()
        if counts.pointee.failure.kind != .none { return }
        if isMeasuring { counts.pointee.measuredDecisions = max(1, counts.pointee.decisionCount) }
        if advance(plan) { counts.pointee.execution = isMeasuring ? max(1, next) : next + 1 }
      }
    }

    /// Continues after an execution that ended early, with a promise that was not fulfilled, and
    /// whose end therefore means nothing. Returns false if there is none.
    func passAbandoned(_ plan: Exploration) -> Bool {
      guard counts.pointee.promise != .kept, counts.pointee.failure.kind == .none,
        !counts.pointee.isExhausted
      else { return false }
      countExecution()
      if advance(plan) { counts.pointee.execution += 1 }
      return true
    }

    private func countExecution() {
      counts.pointee.executions &+= 1
      counts.pointee.steps &+= UInt64(counts.pointee.stepCount)
      if counts.pointee.promise != .kept { counts.pointee.brokenExecutions &+= 1 }
      counts.pointee.promise = .kept
    }

    /// Prepares the next execution; returns false if the search is exhausted.
    private func advance(_ plan: Exploration) -> Bool {
      let hasNext =
        switch plan.engineStrategy {
        case .depthFirst: advancePath()
        case .dynamicPartialOrderReduction: advanceReduction()
        case .randomWalk, .probabilisticConcurrency, .replay: true
        }
      counts.pointee.isExhausted = !hasNext
      return hasNext
    }

    /// The seed of the execution. All executions of an exhaustive search have the same seed,
    /// because they must run the same scenario.
    var executionSeed: UInt64 {
      let isExhaustive =
        state.pointee.strategy == .depthFirst
        || state.pointee.strategy == .dynamicPartialOrderReduction
      return Exploration.seed(
        ofExecution: isExhaustive ? 0 : counts.pointee.execution, in: state.pointee.seed)
    }

    /// Returns the seed of the execution for the scenario. If executions have different ones, what
    /// they do may depend on it, so a promise learned from one means nothing in another.
    func seedOfScenario() -> UInt64 {
      if state.pointee.strategy != .depthFirst { forgetPromises() }
      return executionSeed
    }

    private func begin(_ plan: Exploration, isMeasuring: Bool) {
      forgetExecution()
      state.pointee.strategy = isMeasuring ? .randomWalk : plan.engineStrategy
      state.pointee.random = executionSeed
      state.pointee.drainThreshold = Self.drainThresholds[Int(truncatingIfNeeded: draw() & 3)]
      if case .probabilisticConcurrency(let depth) = plan.strategy, !isMeasuring {
        drawChangePoints(depth: depth)
      }
      if plan.suspendsOneThread, plan.needsMeasuring, !isMeasuring {
        state.pointee.suspendsAt = draw(below: counts.pointee.measuredDecisions)
      }
    }

    /// Probabilities, in 256ths, that the next decision drains a buffered store. Each execution
    /// uses one of them.
    private static var drainThresholds: SIMD4<UInt64> { [128, 64, 24, 8] }

    private func forgetExecution() {
      let state = self.state
      state.pointee.current = 0
      state.pointee.threadCount = 1
      state.pointee.liveCount = 0
      state.pointee.runnableCount = 0
      state.pointee.spinnerCount = 0
      for thread in 1..<max(1, counts.pointee.threadCount) { threads[thread].bufferCount = 0 }
      state.pointee.bufferedCount = 0
      state.pointee.updateCount = 0
      state.pointee.suspended = -1
      state.pointee.suspendsAt = .max
      state.pointee.hasSuspended = false
      state.pointee.isAlone = true
      state.pointee.hasClocks = true
      state.pointee.stamp = 0
      state.pointee.valueNumber = 0
      state.pointee.totalCount = 0
      state.pointee.totalAtFence = 0
      state.pointee.fenced = Clock()
      counts.pointee.promiseCount = 0
      counts.pointee.promise = .kept
      state.pointee.depth = 0
      state.pointee.preemptionCount = 0
      state.pointee.changePointCount = 0
      state.pointee.arenaCount = 0
      state.pointee.locationTable.removeAll()
      state.pointee.wordTable.removeAll()
      counts.pointee.stepCount = 0
      counts.pointee.decisionCount = 0
      counts.pointee.threadCount = 1
      counts.pointee.nodeCount = 0
      state.pointee.execution!.takeUnretainedValue().reset()
    }
  }

  extension Exploration {
    var engineStrategy: EngineStrategy {
      switch strategy {
      case .randomWalk: .randomWalk
      case .probabilisticConcurrency: .probabilisticConcurrency
      case .depthFirst: .depthFirst
      case .dynamicPartialOrderReduction: .dynamicPartialOrderReduction
      case .replay: .replay
      }
    }
  }
#endif
