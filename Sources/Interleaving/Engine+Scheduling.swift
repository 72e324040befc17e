#if Interleaving
  import CInterleaving
  import CShims

  extension Engine {
    /// Lets other threads' steps come before the step that follows.
    @inline(__always)
    func schedulingPoint() {
      if state.pointee.isAlone { return }
      let thread = threads + state.pointee.current
      if thread.pointee.isFresh {
        thread.pointee.isFresh = false
      } else {
        decide()
      }
    }

    /// Takes decisions until one lets the current thread run; does not return to one that has
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
        act(on: Decision(code: code))
      }
    }

    private func act(on decision: Decision) {
      switch decision {
      case .run: break
      case .drain(let thread, let entry): drain(thread, entry)
      case .suspend(let thread): suspend(thread)
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

    /// Where the thread's stack pointer is kept: its first field.
    @inline(__always)
    func stackPointer(of thread: Int) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
      UnsafeMutableRawPointer(threads + thread)
        .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    // MARK: Who may run

    @inline(__always)
    func makeRunnable(_ thread: Int) {
      let place = state.pointee.runnableCount
      threads[thread].state = .runnable
      threads[thread].place = Int32(truncatingIfNeeded: place)
      state.pointee.runnable[place] = Int32(truncatingIfNeeded: thread)
      state.pointee.runnableCount = place &+ 1
    }

    /// The last runnable thread takes the place of `thread`.
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

    /// Nobody can take a step and no store waits: lets spinners look once more, or the suspended
    /// thread go on.
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
#endif
