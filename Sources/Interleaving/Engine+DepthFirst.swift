#if Interleaving
  import CShims

  // Depth-first search without states: each execution repeats the choices of the one before up to
  // the last that has an alternative left, takes that, and from there on always the first.
  //
  // The running thread comes first among the alternatives, so the first execution has no
  // preemption. To let another thread run although the running one could is a preemption; within
  // the bound every alternative is tried.
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

    private func choice(among count: Int) -> UInt16 {
      let path = state.pointee.recordings.path
      let depth = state.pointee.depth
      state.pointee.depth = depth + 1
      if depth == counts.pointee.pathCount {
        path[depth] = Choice(taken: 0, count: UInt16(count))
        counts.pointee.pathCount = depth + 1
      }
      // Else the scenario is not the same each time.
      if Int(path[depth].count) != count {
        counts.pointee.failure.count = counts.pointee.decisionCount
        fail(.scheduleMismatch, cws_site())
      }
      return path[depth].taken
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

    /// Prepares the next execution; whether there is one.
    func advancePath() -> Bool {
      let path = state.pointee.recordings.path
      while counts.pointee.pathCount > 0 {
        let last = path + counts.pointee.pathCount - 1
        if last.pointee.taken + 1 < last.pointee.count {
          last.pointee.taken += 1
          return true
        }
        counts.pointee.pathCount -= 1
      }
      return false
    }
  }
#endif
