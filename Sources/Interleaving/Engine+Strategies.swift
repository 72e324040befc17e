#if Interleaving
  import CShims

  extension Engine {
    /// The next decision's code. At least one thread is runnable, or one store buffer is not empty.
    @inline(__always)
    func nextDecision() -> UInt16 {
      let code =
        switch state.pointee.strategy {
        case .randomWalk: drawDecision()
        case .probabilisticConcurrency: highestDecision()
        case .depthFirst: nextChoice()
        case .replay: replayedDecision()
        }
      if state.pointee.suspendsAt != .max { return suspending(code) }
      return code
    }

    /// From a certain decision on, the thread that would run is suspended instead, once.
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
      let entries = Int(threads[thread].bufferCount)
      var entry = entries == 1 ? 0 : draw(below: entries)
      // The oldest may always leave.
      while !isDrainable(thread, entry) { entry &-= 1 }
      return Decision.drain(thread: thread, entry: entry).code
    }

    // MARK: Replay

    private func replayedDecision() -> UInt16 {
      let count = counts.pointee.decisionCount
      guard count < state.pointee.replayCount else { return nextInTurn() }
      let code = state.pointee.replay![count]
      if !isPossible(Decision(code: code)) {
        counts.pointee.failure.count = count
        fail(.scheduleMismatch, cws_site())
      }
      return code
    }

    private func isPossible(_ decision: Decision) -> Bool {
      switch decision {
      case .run(let thread): isRunnable(thread)
      case .suspend(let thread): isRunnable(thread) && !state.pointee.hasSuspended
      case .drain(let thread, let entry):
        thread < state.pointee.threadCount && entry < Int(threads[thread].bufferCount)
          && isDrainable(thread, entry)
      }
    }

    func isRunnable(_ thread: Int) -> Bool {
      thread < state.pointee.threadCount && threads[thread].state == .runnable
    }

    /// Stores are seen at once, and the running thread goes on, else the first that can run.
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
#endif
