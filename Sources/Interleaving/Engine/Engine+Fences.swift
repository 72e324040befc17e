#if Interleaving
  import CShims

  // Memory fences, as C++ defines them.
  //
  //  1. An acquire fence turns the relaxed loads before it into acquiring loads: it joins the
  //     clocks of the values that they read.
  //  2. A release fence turns the relaxed stores after it into releasing stores: they publish the
  //     clock of the fence, and leave the buffer only after the entries that were in it at the
  //     fence.
  //  3. A sequentially consistent fence is both, and it drains the buffer of its thread.
  //
  // The model is stronger than C++ in one respect: while entries from before a release fence are in
  // the buffer, the stores after the fence do not pass each other.
  extension Engine {
    func fence(_ ordering: UInt32, _ site: cws_site) {
      schedulingPoint(before: PendingStep(kind: .fence, ordering: ordering))
      record(.fence, site, ordering: ordering)
      let thread = threads + state.pointee.current
      if ordering.acquires {
        acquire(thread.pointee.acquirable)
        if hasPendingPromise { checkPromiseAtAcquireFence() }
      }
      if ordering.isTotal {
        drainAll(of: state.pointee.current)
        orderLoads()
      }
      guard ordering.releases else { return }
      thread.pointee.fenceClock = thread.pointee.clock
      thread.pointee.isFenced = thread.pointee.bufferCount > 0
      tick()
    }

    /// Joins the clock of a value that an operation with `ordering` has read: immediately if the
    /// operation acquires, and otherwise at the next acquire fence.
    @inline(__always)
    func observe(_ clock: Clock, _ ordering: UInt32) {
      if ordering.acquires {
        acquire(clock)
      } else {
        threads[state.pointee.current].acquirable.join(clock)
      }
    }

    /// Returns the clock that a store with `ordering` publishes.
    @inline(__always)
    func published(_ ordering: UInt32) -> Clock {
      ordering.releases ? currentClock : threads[state.pointee.current].fenceClock
    }

    /// Returns the ordering that the store buffer applies to a store with `ordering`.
    @inline(__always)
    func buffered(_ ordering: UInt32) -> UInt32 {
      threads[state.pointee.current].isFenced ? afterFence(ordering) : ordering
    }

    private func afterFence(_ ordering: UInt32) -> UInt32 {
      let thread = threads + state.pointee.current
      if thread.pointee.bufferCount == 0 { thread.pointee.isFenced = false }
      guard thread.pointee.isFenced else { return ordering }
      switch ordering {
      case UInt32(CWS_RELAXED): return UInt32(CWS_RELEASING)
      case UInt32(CWS_ACQUIRING): return UInt32(CWS_ACQUIRING_AND_RELEASING)
      default: return ordering
      }
    }
  }
#endif
