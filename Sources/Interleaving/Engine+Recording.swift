#if Interleaving
  import CShims

  extension Engine {
    @inline(__always)
    func record(decision code: UInt16) {
      let count = counts.pointee.decisionCount
      // A decision need not lead to a step: everyone who waits for a lock may look in vain.
      if count >= Schedule.longest { failEndless() }
      state.pointee.recordings.decisions[count] = code
      counts.pointee.decisionCount = count &+ 1
    }

    /// Records a step of the current thread; returns its number.
    @inline(__always)
    @discardableResult
    func record(
      _ kind: Step.Kind, _ site: cws_site, address: UInt = 0, ordering: UInt32 = 0xff,
      value: UInt64 = 0, previous: UInt64 = 0
    ) -> Int {
      let step = record(
        kind, by: state.pointee.current, site, address: address, ordering: ordering, value: value,
        previous: previous)
      if state.pointee.spinnerCount > 0, kind != .spin { wakeSpinners() }
      if state.pointee.hasObserver { observe(step) }
      return step
    }

    /// Records a step that nobody who spins waits for.
    @inline(__always)
    @discardableResult
    func record(
      _ kind: Step.Kind, by thread: Int, _ site: cws_site, address: UInt = 0,
      ordering: UInt32 = 0xff, value: UInt64 = 0, previous: UInt64 = 0
    ) -> Int {
      let step = counts.pointee.stepCount
      if step >= state.pointee.stepLimit { failEndless() }
      state.pointee.recordings.trace[step] = StepRecord(
        site: site, thread: UInt8(truncatingIfNeeded: thread), kind: kind.rawValue,
        ordering: UInt8(truncatingIfNeeded: ordering), node: 0, address: address, value: value,
        previous: previous)
      counts.pointee.stepCount = step &+ 1
      return step
    }

    @inline(__always)
    func site(ofStep step: Int) -> cws_site { state.pointee.recordings.trace[step].site }

    @inline(never)
    private func observe(_ step: Int) {
      let execution = state.pointee.execution!.takeUnretainedValue()
      execution.observer?(ObservedStep(state.pointee.recordings.trace[step]))
    }
  }
#endif
