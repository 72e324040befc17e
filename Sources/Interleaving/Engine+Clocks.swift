#if Interleaving
  extension Engine {
    /// The current thread's lane; -1 for the scenario.
    @inline(__always) var currentLane: Int { state.pointee.current &- 1 }

    @inline(__always) var currentClock: Clock { threads[state.pointee.current].clock }

    /// What was released at the location happened before what follows.
    @inline(__always)
    func acquire(_ location: Int) { acquire(locations[location].clock) }

    /// What was released with the clock happened before what follows.
    @inline(__always)
    func acquire(_ clock: Clock) {
      guard state.pointee.hasClocks else { return }
      threads[state.pointee.current].clock.join(clock)
    }

    /// What follows is later than what was just released.
    @inline(__always)
    func tick() {
      let lane = currentLane
      guard lane >= 0, state.pointee.hasClocks else { return }
      threads[state.pointee.current].clock &+= Clock.unit(lane)
    }

    /// Whether what the thread of `lane` did at `time` happened before now.
    @inline(__always)
    func happenedBefore(lane: Int, time: UInt32) -> Bool {
      // The scenario's own steps, and everyone's when it runs again, happened before.
      lane < 0 || !state.pointee.hasClocks || time <= currentClock[lane]
    }

    /// Everything that anybody did happened before what the current thread does next.
    func joinAll() {
      guard state.pointee.hasClocks else { return }
      for thread in 1..<max(1, state.pointee.threadCount) where thread != state.pointee.current {
        threads[state.pointee.current].clock.join(threads[thread].clock)
      }
    }
  }
#endif
