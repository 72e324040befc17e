#if Interleaving
  import CInterleaving
  import CShims

  extension Engine {
    /// Copies the plan into the state, and resets all counts.
    func prepare(_ plan: Exploration, _ execution: Execution) {
      counts.pointee = Recording()
      counts.pointee.execution = UInt64(plan.firstExecution)
      state.pointee.execution = Unmanaged.passUnretained(execution)
      state.pointee.seed = plan.seed
      state.pointee.hasBuffers = plan.memory != .sequentiallyConsistent
      state.pointee.hasReorderedLoads = plan.memory == .reorderedLoads
      state.pointee.hasWeakenings = !plan.weakened.isEmpty
      state.pointee.hasObserver = plan.observer != nil
      state.pointee.suspendsOneThread = plan.suspendsOneThread
      state.pointee.stepLimit = plan.stepLimit
      execution.weakenings = WeakeningTable(plan.weakened)
      execution.observer = plan.observer
      forgetPromises()
      if case .depthFirst(let bound) = plan.strategy { state.pointee.preemptionBound = bound }
      if case .replay(let schedule) = plan.strategy { prepare(schedule) }
      if plan.strategy == .dynamicPartialOrderReduction {
        execution.reducedSearch = ReducedSearch()
      }
    }

    private func prepare(_ schedule: Schedule) {
      state.pointee.execution!.takeUnretainedValue().replayedPromises = schedule.promises
      let codes = UnsafeMutablePointer<UInt16>.allocate(capacity: schedule.decisions.count)
      _ = UnsafeMutableBufferPointer(start: codes, count: schedule.decisions.count)
        .initialize(from: schedule.decisions.lazy.map(\.code))
      state.pointee.replay = codes
      state.pointee.replayCount = schedule.decisions.count
    }

    func forgetPlan() {
      state.pointee.replay?.deallocate()
      state.pointee.replay = nil
      state.pointee.replayCount = 0
      state.pointee.execution = nil
    }

    func note(name: String, of thread: Int) {
      guard thread > counts.pointee.nameCount else { return }
      counts.pointee.nameCount = thread
      let capacity = Recordings.nameCapacity
      let bytes = Array(name.utf8.prefix(capacity - 1)) + [0]
      (state.pointee.recordings.names + thread * capacity).update(from: bytes, count: bytes.count)
    }

    func recordedName(of thread: Int) -> String {
      if thread == 0 { return "scenario" }
      let name = String(
        cString: state.pointee.recordings.names + thread * Recordings.nameCapacity)
      return name.isEmpty ? "thread \(thread)" : name
    }
  }

  extension Exploration {
    static var isSwitchAvailable: Bool { cil_can_switch() }
  }

  extension Engine {
    /// Returns the code of the next decision.
    ///
    /// - Precondition: A thread is runnable, or a buffer is not empty.
    @inline(__always)
    func nextDecision() -> UInt16 {
      let code =
        switch state.pointee.strategy {
        case .randomWalk: drawDecision()
        case .probabilisticConcurrency: highestDecision()
        case .depthFirst: nextChoice()
        case .dynamicPartialOrderReduction: reducedDecision()
        case .replay: replayedDecision()
        }
      if state.pointee.suspendsAt != .max { return suspending(code) }
      return code
    }

    /// Replaces a decision that runs a thread by one that suspends the thread, if it is the first
    /// such decision from number `suspendsAt` on.
    private func suspending(_ code: UInt16) -> UInt16 {
      guard counts.pointee.decisionCount >= state.pointee.suspendsAt,
        let thread = Decision.threadToRun(code)
      else { return code }
      state.pointee.suspendsAt = .max
      return Decision.suspend(thread: thread).code
    }

    // MARK: Random walk

    @inline(__always)
    private func drawDecision() -> UInt16 {
      let count = state.pointee.runnableCount
      if state.pointee.bufferedCount > 0,
        count == 0 || draw() & 0xff < state.pointee.drainThreshold
      {
        return drawDrain()
      }
      let place = count == 1 ? 0 : draw(below: count)
      return Decision.runCode(state.pointee.runnable[place])
    }

    private func drawDrain() -> UInt16 {
      let count = state.pointee.threadCount &- 1
      var thread = draw(below: count)
      while threads[thread &+ 1].bufferCount == 0 {
        thread = thread &+ 1 == count ? 0 : thread &+ 1
      }
      thread &+= 1
      return Decision.drain(thread: thread, entry: drawEntry(of: thread)).code
    }

    /// Draws an entry that can leave the buffer now.
    private func drawEntry(of thread: Int) -> Int {
      let entries = Int(threads[thread].bufferCount)
      var entry = entries == 1 ? 0 : draw(below: entries)
      // The oldest entry is always drainable.
      while !isDrainable(thread, entry) { entry &-= 1 }
      return entry
    }

    // MARK: Reordered loads

    /// Decides how many values the one that a load returns is older than the newest one.
    func decideAge(among count: Int) -> Int {
      let age =
        switch state.pointee.strategy {
        case .randomWalk, .probabilisticConcurrency: drawAge(among: count)
        case .depthFirst: Int(choice(among: count))
        case .replay: replayedAge(among: count)
        case .dynamicPartialOrderReduction:
          fatalError("this strategy does not cover reordered loads")
        }
      record(decision: Decision.read(thread: state.pointee.current, age: age).code)
      return age
    }

    /// Returns 0 in half of the cases.
    private func drawAge(among count: Int) -> Int {
      let drawn = draw(below: 2 * (count - 1))
      return drawn < count - 1 ? drawn + 1 : 0
    }

    private func replayedAge(among count: Int) -> Int {
      let place = counts.pointee.decisionCount
      guard place < state.pointee.replayCount else { return 0 }
      guard
        case .read(state.pointee.current, let age) = Decision(code: state.pointee.replay![place]),
        age < count
      else { failMismatch() }
      return age
    }

    // MARK: Replay

    private func replayedDecision() -> UInt16 {
      let count = counts.pointee.decisionCount
      guard count < state.pointee.replayCount else { return nextInTurn() }
      let code = state.pointee.replay![count]
      if !isPossible(Decision(code: code)) { failMismatch() }
      return code
    }

    /// Ends an execution that cannot follow the decisions of an earlier one.
    func failMismatch() -> Never {
      counts.pointee.failure.count = counts.pointee.decisionCount
      fail(.scheduleMismatch, cws_site())
    }

    private func isPossible(_ decision: Decision) -> Bool {
      switch decision {
      case .run(let thread): isRunnable(thread)
      case .begin(let thread): isRunnable(thread) && threads[thread].reportsNextStep
      case .suspend(let thread): isRunnable(thread) && !state.pointee.hasSuspended
      case .read, .readPromise: false
      case .drain(let thread, let entry):
        thread < state.pointee.threadCount && entry < Int(threads[thread].bufferCount)
          && isDrainable(thread, entry)
      }
    }

    func isRunnable(_ thread: Int) -> Bool {
      thread < state.pointee.threadCount && threads[thread].state == .runnable
    }

    /// Returns a decision after the end of a schedule: drains a store if one is buffered, otherwise
    /// runs the current thread if it is runnable, otherwise the first runnable thread.
    private func nextInTurn() -> UInt16 {
      if state.pointee.bufferedCount > 0 {
        let thread = (1..<state.pointee.threadCount).first { threads[$0].bufferCount > 0 }!
        return Decision.drain(thread: thread, entry: 0).code
      }
      if isRunnable(state.pointee.current) {
        return Decision.run(thread: state.pointee.current).code
      }
      return Decision.runCode(state.pointee.runnable[0])
    }
  }

  // Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, 2010): the
  // thread with the highest priority runs, and at random decisions that priority falls below all
  // others. A store buffer has a priority too, so that its stores stay buffered as long as the
  // priority is low and no rule drains them. They leave it in a random order.
  extension Engine {
    func highestDecision() -> UInt16 {
      let count = counts.pointee.decisionCount
      for index in 0..<state.pointee.changePointCount
      where state.pointee.changePoints[index] <= count {
        lowerHighest(to: UInt64(index))
        state.pointee.changePoints[index] = .max
      }
      let decision = highest()
      guard case .drain(let thread, _) = decision else { return decision.code }
      return Decision.drain(thread: thread, entry: drawEntry(of: thread)).code
    }

    private func lowerHighest(to priority: UInt64) {
      switch highest() {
      case .run(let thread): threads[thread].priority = priority
      case .drain(let thread, _): threads[thread].bufferPriority = priority
      case .begin, .suspend, .read, .readPromise: break
      }
    }

    private func highest() -> Decision {
      var best: (priority: UInt64, decision: Decision)?
      func consider(_ priority: UInt64, _ decision: Decision) {
        if best == nil || priority > best!.priority { best = (priority, decision) }
      }
      for place in 0..<state.pointee.runnableCount {
        let thread = Int(state.pointee.runnable[place])
        consider(threads[thread].priority, .run(thread: thread))
      }
      if state.pointee.bufferedCount > 0 {
        for thread in 1..<state.pointee.threadCount where threads[thread].bufferCount > 0 {
          consider(threads[thread].bufferPriority, .drain(thread: thread, entry: 0))
        }
      }
      return best!.decision
    }

    /// Draws the decisions at which priorities change, from the measured number of decisions.
    func drawChangePoints(depth: Int) {
      let count = min(depth - 1, EngineState.mostChangePoints)
      state.pointee.changePointCount = count
      for index in 0..<count {
        state.pointee.changePoints[index] = draw(below: max(1, counts.pointee.measuredDecisions))
      }
    }
  }

  // Stateless depth-first search, along a `ChoicePath`.
  //
  // The first alternative is to continue the running thread, so the first execution has no
  // preemption. A decision for another thread is a preemption if the running thread is runnable.
  // The search takes every alternative within the bound on preemptions.
  extension Engine {
    func nextChoice() -> UInt16 {
      let count = listOptions()
      let options = state.pointee.options
      let taken = count == 1 ? 0 : Int(choice(among: count))
      let current = state.pointee.current
      if isRunnable(current), case .run(let thread) = Decision(code: options[taken]),
        thread != current
      {
        state.pointee.preemptionCount += 1
      }
      return options[taken]
    }

    /// Returns the index of the alternative to take. An execution with a broken promise has no
    /// alternatives.
    func choice(among count: Int) -> UInt16 {
      if counts.pointee.promise == .broken { return 0 }
      let depth = state.pointee.depth
      state.pointee.depth = depth + 1
      let path = ChoicePath(state.pointee.recordings.path)
      guard let taken = path.choice(at: depth, among: count, length: &counts.pointee.pathCount)
      else { failMismatch() }
      return taken
    }

    private func listOptions() -> Int {
      var count = 0
      let options = state.pointee.options
      func add(_ decision: Decision) {
        options[count] = decision.code
        count += 1
      }
      let current = state.pointee.current
      let continues = isRunnable(current)
      if continues { add(.run(thread: current)) }
      if !continues || state.pointee.preemptionCount < state.pointee.preemptionBound {
        for thread in 1..<state.pointee.threadCount where thread != current && isRunnable(thread) {
          add(.run(thread: thread))
        }
      }
      if state.pointee.bufferedCount > 0 {
        for thread in 1..<state.pointee.threadCount {
          for entry in 0..<Int(threads[thread].bufferCount) where isDrainable(thread, entry) {
            add(.drain(thread: thread, entry: entry))
          }
        }
      }
      let maySuspend = state.pointee.suspendsOneThread && !state.pointee.hasSuspended
      if continues, maySuspend, state.pointee.liveCount > 1 { add(.suspend(thread: current)) }
      return count
    }

    /// Prepares the next execution; returns false if there is none.
    ///
    /// A search with promises has two rounds. The first reads none, and learns them. The second
    /// repeats the search with them, so that the alternatives do not change during a round.
    func advancePath() -> Bool {
      ChoicePath(state.pointee.recordings.path).advance(length: &counts.pointee.pathCount)
        || useNewPromises()
    }
  }
#endif
