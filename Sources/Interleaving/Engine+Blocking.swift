#if Interleaving
  import CShims

  extension Engine {
    func wait(_ word: UnsafePointer<UInt64>, _ expected: UInt64, _ site: cws_site) {
      schedulingPoint()
      // The system orders a wait's look at the word as if it were sequentially consistent.
      drainAll(of: state.pointee.current)
      let location = location(of: word)
      publishUpdate(at: location)
      let address = UInt(bitPattern: word)
      let step = record(.wait, site, address: address, value: word.pointee)
      checkNode(at: address, step)
      if word.pointee == expected { block(on: address, .word) }
    }

    /// What the waker did happened before what those it wakes do next.
    func wakeAll(_ word: UnsafePointer<UInt64>, _ site: cws_site) {
      wake(word, site, atMost: .max)
    }

    /// Wakes the thread that has the lowest number of those who wait.
    func wakeOne(_ word: UnsafePointer<UInt64>, _ site: cws_site) {
      wake(word, site, atMost: 1)
    }

    private func wake(_ word: UnsafePointer<UInt64>, _ site: cws_site, atMost limit: Int) {
      schedulingPoint()
      let address = UInt(bitPattern: word)
      record(.wake, site, address: address)
      drainAll(of: state.pointee.current)
      wake(waitingFor: address, .word, atMost: limit)
      tick()
    }

    func spin(_ site: cws_site) {
      record(.spin, site)
      if state.pointee.isAlone { return }
      makeUnrunnable(state.pointee.current, .spinning)
      state.pointee.spinnerCount &+= 1
      decide()
    }

    func lock(_ lock: UnsafeRawPointer, isExclusive: Bool, _ site: cws_site) {
      schedulingPoint()
      let location = location(of: lock)
      while locations[location].owner >= 0 || isExclusive && locations[location].sharers > 0 {
        block(on: UInt(bitPattern: lock), .lock)
      }
      if isExclusive {
        locations[location].owner = Int32(state.pointee.current)
      } else {
        locations[location].sharers += 1
      }
      record(.lock, site, address: UInt(bitPattern: lock), value: isExclusive ? 1 : 0)
      acquire(location)
    }

    func unlock(_ lock: UnsafeRawPointer, isExclusive: Bool, _ site: cws_site) {
      schedulingPoint()
      let location = location(of: lock)
      let holds =
        isExclusive
        ? locations[location].owner == Int32(state.pointee.current)
        : locations[location].sharers > 0
      record(.unlock, site, address: UInt(bitPattern: lock), value: isExclusive ? 1 : 0)
      guard holds else { fail(.assertion, site, "a thread unlocks what it does not hold") }
      drainAll(of: state.pointee.current)
      if isExclusive {
        locations[location].owner = -1
      } else {
        locations[location].sharers -= 1
      }
      locations[location].clock.join(currentClock)
      tick()
      wake(waitingFor: UInt(bitPattern: lock), .lock)
    }

    func mark(_ site: cws_site) {
      schedulingPoint()
      record(.mark, site)
    }

    func lastRelease(of object: UnsafeRawPointer, _ site: cws_site) {
      record(.lastRelease, site, address: UInt(bitPattern: object))
      drainAll(within: object)
      joinAll()
    }

    /// Sleeps until `wake(waitingFor:)`.
    func block(on address: UInt, _ reason: VirtualThread.Wait) {
      let thread = state.pointee.current
      if state.pointee.isAlone { failWaiting() }
      threads[thread].wait = reason
      threads[thread].waitAddress = address
      makeUnrunnable(thread, .waiting)
      decide()
    }

    func wake(waitingFor address: UInt, _ reason: VirtualThread.Wait, atMost limit: Int = .max) {
      var room = limit
      for thread in 1..<max(1, state.pointee.threadCount)
      where threads[thread].state == .waiting && threads[thread].waitAddress == address
        && threads[thread].wait == reason && room > 0
      {
        room -= 1
        threads[thread].wait = .none
        // A lock has a clock of its own.
        if reason != .lock { threads[thread].clock.join(currentClock) }
        makeRunnable(thread)
      }
    }
  }
#endif
