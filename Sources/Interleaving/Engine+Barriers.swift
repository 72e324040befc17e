#if Interleaving
  import CShims

  extension Engine {
    /// A full barrier on every thread, each at a moment of its own (rule 6 of `StoreBuffer`).
    func barrier(_ site: cws_site) {
      schedulingPoint()
      record(.barrier, site)
      let caller = state.pointee.current
      drainAll(of: caller)
      let clock = currentClock
      tick()
      for thread in 1..<max(1, state.pointee.threadCount) where thread != caller {
        schedulingPoint()
        drainAll(of: thread)
        threads[caller].clock.join(threads[thread].clock)
        threads[thread].clock.join(clock)
        if state.pointee.hasClocks { threads[thread].clock &+= Clock.unit(thread - 1) }
      }
    }
  }
#endif
