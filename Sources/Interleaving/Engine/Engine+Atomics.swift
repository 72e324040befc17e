#if Interleaving
  import CShims

  extension Engine {
    typealias Word = UnsafeMutablePointer<UInt64>

    @inline(__always)
    func load(_ address: Word, _ ordering: UInt32, _ site: cws_site) -> UInt64 {
      let ordering = weakened(ordering, .load, site)
      schedulingPoint(before: pending(.load, address, ordering))
      let location = location(of: address)
      if state.pointee.hasReorderedLoads { beginRead(address, ordering, stores: false) }
      if let own = ownStore(at: location) {
        touch(address, .load, site, ordering, value: own.pointee.value)
        // The clock of a store adds nothing to that of its thread. The clock of an update adds the
        // one that the update read.
        observe(own.pointee.clock, ordering)
        return own.pointee.value
      }
      if state.pointee.hasReorderedLoads,
        let stored = valueToLoad(address, at: location, ordering, site)
      {
        let step = touch(address, .load, site, ordering, value: stored.value)
        state.pointee.recordings.trace[step].isPromised = stored.isPromised
        observe(stored.clock, ordering)
        return stored.value
      }
      let value = address.pointee
      touch(address, .load, site, ordering, value: value)
      observe(locations[location].clock, ordering)
      return value
    }

    @inline(__always)
    func store(_ address: Word, _ value: UInt64, _ ordering: UInt32, _ site: cws_site) {
      let ordering = weakened(ordering, .store, site)
      schedulingPoint(before: pending(.store, address, buffered(ordering)))
      let location = location(of: address)
      if state.pointee.hasReorderedLoads { beginStore(address, value, ordering) }
      if state.pointee.hasBuffers { prepareStore(location, ordering) }
      let step = touch(address, .store, site, ordering, value: value)
      let clock = published(ordering)
      if state.pointee.hasBuffers {
        storeThroughBuffer(address, value, buffered(ordering), location, clock, step)
      } else {
        commit(address, value, location, clock)
      }
      if ordering.releases { tick() }
    }

    @inline(__always)
    func compareExchange(
      _ address: Word, _ expected: UInt64, _ desired: UInt64, _ success: UInt32, _ failure: UInt32,
      _ site: cws_site
    ) -> UInt64 {
      let success = weakened(success, .compareExchange, site)
      schedulingPoint(before: pending(.update, address, buffered(success)))
      let location = location(of: address)
      if state.pointee.hasBuffers { prepareUpdate(location, buffered(success)) }
      let old = address.pointee
      let failure = state.pointee.hasWeakenings ? success.onFailure(atMost: failure) : failure
      if state.pointee.hasReorderedLoads {
        beginRead(address, old == expected ? success : failure, stores: old == expected)
      }
      guard old == expected else {
        touch(address, .failedCompareExchange, site, failure, value: old)
        noteRead(address, at: location, failure, site)
        observe(locations[location].clock, failure)
        return old
      }
      let step = touch(address, .compareExchange, site, success, value: desired, previous: old)
      noteRead(address, at: location, success, site)
      observe(locations[location].clock, success)
      finishUpdate(address, desired, success, location, step)
      return old
    }

    @inline(__always)
    func beginUpdate(_ address: Word, _ ordering: UInt32, _ site: cws_site) -> UInt64 {
      let ordering = weakened(ordering, .update, site)
      schedulingPoint(before: pending(.update, address, buffered(ordering)))
      let location = location(of: address)
      if state.pointee.hasBuffers { prepareUpdate(location, buffered(ordering)) }
      let old = address.pointee
      if state.pointee.hasReorderedLoads { beginRead(address, ordering, stores: true) }
      state.pointee.updateStep = touch(address, .update, site, ordering, previous: old)
      state.pointee.updateLocation = location
      state.pointee.updateOrdering = ordering
      noteRead(address, at: location, ordering, site)
      observe(locations[location].clock, ordering)
      return old
    }

    @inline(__always)
    func endUpdate(_ address: Word, _ value: UInt64) {
      let step = state.pointee.updateStep
      state.pointee.recordings.trace[step].value = value
      finishUpdate(
        address, value, state.pointee.updateOrdering, state.pointee.updateLocation, step)
    }

    @inline(__always)
    private func finishUpdate(
      _ address: Word, _ value: UInt64, _ ordering: UInt32, _ location: Int, _ step: Int
    ) {
      if state.pointee.spinnerCount > 0,
        value != state.pointee.recordings.trace[step].previous
      {
        wakeSpinners()
      }
      if state.pointee.hasReorderedLoads { promise(stores: value, at: address, ordering) }
      // An update continues the release sequence, so it keeps the clock of the word.
      var clock = locations[location].clock
      clock.join(published(ordering))
      if state.pointee.hasBuffers, !ordering.isTotal {
        buffer(address, value, buffered(ordering), location, clock, step, isUpdate: true)
      } else {
        commit(address, value, location, clock)
      }
      if ordering.releases { tick() }
    }

    @inline(__always)
    private func pending(
      _ kind: PendingStep.Kind, _ address: Word, _ ordering: UInt32
    ) -> PendingStep {
      PendingStep(kind: kind, address: UInt(bitPattern: address), ordering: ordering)
    }

    /// Writes a value of the current thread and its clock to memory.
    @inline(__always)
    func commit(_ address: Word, _ value: UInt64, _ location: Int, _ clock: Clock) {
      if state.pointee.hasReorderedLoads {
        let thread = state.pointee.current
        // Other stores enter the buffer, unless the scenario runs alone.
        add(
          value, address, at: location, clock, by: thread, at: threads[thread].time(of: thread),
          access: threads[thread].accessCount, taint: threads[thread].taint, isTotal: thread > 0)
      }
      address.pointee = value
      locations[location].clock = clock
    }

    /// Records the step, and checks that its memory is live.
    @inline(__always)
    @discardableResult
    private func touch(
      _ address: Word, _ kind: Step.Kind, _ site: cws_site, _ ordering: UInt32, value: UInt64 = 0,
      previous: UInt64 = 0
    ) -> Int {
      let address = UInt(bitPattern: address)
      let step = record(
        kind, site, address: address, ordering: ordering, value: value, previous: previous)
      checkNode(at: address, step)
      return step
    }

    /// Returns the number of the word at `address`.
    @inline(__always)
    func location(of address: UnsafeRawPointer) -> Int {
      let (index, isNew) = state.pointee.locationTable.index(of: UInt(bitPattern: address))
      if isNew { locations[index] = Location() }
      return index
    }

    @inline(__always)
    private func weakened(_ ordering: UInt32, _ kind: Step.Kind, _ site: cws_site) -> UInt32 {
      state.pointee.hasWeakenings ? lookUpWeakening(ordering, kind, site) : ordering
    }

    @inline(never)
    private func lookUpWeakening(
      _ ordering: UInt32, _ kind: Step.Kind, _ site: cws_site
    ) -> UInt32 {
      let execution = state.pointee.execution!.takeUnretainedValue()
      guard let weaker = execution.weakenings.ordering(at: site, kind) else { return ordering }
      counts.pointee.weakenedSteps &+= 1
      return weaker.rawValue
    }
  }

  extension UInt32 {
    @inline(__always) var acquires: Bool {
      self == UInt32(CWS_ACQUIRING) || self >= UInt32(CWS_ACQUIRING_AND_RELEASING)
    }
    /// The ordering of a failed compare-exchange, limited by the weakened ordering of its success.
    fileprivate func onFailure(atMost failure: UInt32) -> UInt32 {
      acquires ? Swift.min(self, failure) : UInt32(CWS_RELAXED)
    }
    @inline(__always) var releases: Bool { self >= UInt32(CWS_RELEASING) }
  }

  extension Engine {
    /// Executes a full barrier on every thread, on one thread after the other (rule 6 of
    /// `StoreBuffer`).
    func barrier(_ site: cws_site) {
      schedulingPoint(before: PendingStep(kind: .barrier))
      record(.barrier, site)
      noteSynchronization()
      let caller = state.pointee.current
      drainAll(of: caller)
      let clock = currentClock
      tick()
      for thread in 1..<max(1, state.pointee.threadCount) where thread != caller {
        schedulingPoint(before: PendingStep(kind: .barrierOnThread, peer: thread))
        drainAll(of: thread)
        join(threads[thread].clock, by: caller)
        join(clock, by: thread)
        if state.pointee.hasClocks { threads[thread].clock &+= Clock.unit(thread - 1) }
      }
    }
  }
#endif
