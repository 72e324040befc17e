#if Interleaving
  // Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, 2010):
  // whoever has the highest priority runs, and at random steps that priority falls below all
  // others. A store buffer has a priority as a thread has, so that its stores are late until they
  // must not be.
  extension Engine {
    func highestDecision() -> UInt16 {
      let decision = counts.pointee.decisionCount
      for index in 0..<state.pointee.changePointCount
      where state.pointee.changePoints[index] == decision {
        lowerHighest(to: UInt64(index))
      }
      return highest().code
    }

    private func lowerHighest(to priority: UInt64) {
      switch highest() {
      case .run(let thread): threads[thread].priority = priority
      case .drain(let thread, _): threads[thread].bufferPriority = priority
      case .suspend: break
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

    /// Draws where priorities change among as many decisions as were measured.
    func drawChangePoints(depth: Int) {
      let count = min(depth - 1, EngineState.mostChangePoints)
      state.pointee.changePointCount = count
      for index in 0..<count {
        state.pointee.changePoints[index] = draw(below: max(1, counts.pointee.measuredDecisions))
      }
    }
  }
#endif
