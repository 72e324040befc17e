#if Interleaving
  import CShims

  // The happens-before order, by vector clocks as in FastTrack (Flanagan and Freund, 2009).
  //
  //  1. Lane *i* of a thread's clock is the latest time of thread *i* + 1 that happened before the
  //     current step. The thread's own lane is its own time, which starts at 1 and increases with
  //     every release.
  //  2. A release stores the thread's clock at the word. An acquire joins the clock of the word
  //     into the clock of the thread. A read-modify-write that does not release keeps the clock of
  //     the word (a release sequence).
  //  3. An access at time *c* of the thread with lane *t* happened before the current step if lane
  //     *t* of the current thread's clock is at least *c*.
  //
  // The scenario has no lane: it runs only while no other thread runs. In an execution with more
  // than eight other threads, the engine checks nothing.

  /// A vector clock.
  typealias Clock = SIMD8<UInt32>

  extension Clock {
    /// The maximum number of threads, besides the scenario, whose accesses the engine checks.
    static var lanes: Int { 8 }

    /// Returns a clock with 1 in one lane and 0 in the others.
    @inline(__always)
    static func unit(_ lane: Int) -> Clock {
      let numbers = Clock(0, 1, 2, 3, 4, 5, 6, 7)
      return Clock(repeating: 0).replacing(
        with: 1, where: numbers .== Clock(repeating: UInt32(truncatingIfNeeded: lane)))
    }

    @inline(__always)
    mutating func join(_ other: Clock) {
      replace(with: other, where: other .> self)
    }

    /// Returns the first lane other than `except` in which this clock is greater than `other`;
    /// `nil` if there is none.
    @inline(__always)
    func laneAhead(of other: Clock, except: Int) -> Int? {
      guard any(self .> other) else { return nil }
      return (0..<Clock.lanes).first { $0 != except && self[$0] > other[$0] }
    }

    /// Returns whether a lane that is not 0 is at most that of `other`.
    @inline(__always)
    func hasTime(upTo other: Clock) -> Bool {
      // One comparison for both: 0 - 1 is the maximum.
      any((self &- 1) .< other)
    }

    /// Copies one lane of `other`.
    @inline(__always)
    mutating func replaceLane(_ lane: Int, with other: Clock) {
      replace(with: other, where: Clock.unit(lane) .!= 0)
    }
  }

  extension Engine {
    /// The current thread's lane; -1 for the scenario.
    @inline(__always) var currentLane: Int { state.pointee.current &- 1 }

    @inline(__always) var currentClock: Clock { threads[state.pointee.current].clock }

    /// Joins the clock of a location. The releases there happened before the next step.
    @inline(__always)
    func acquire(_ location: Int) { acquire(locations[location].clock) }

    /// Joins `clock`. The release with that clock happened before the next step.
    @inline(__always)
    func acquire(_ clock: Clock) {
      guard state.pointee.hasClocks else { return }
      join(clock, by: state.pointee.current)
    }

    /// Joins `clock` into the clock of a thread.
    @inline(__always)
    func join(_ clock: Clock, by thread: Int) {
      threads[thread].clock.join(clock)
      if state.pointee.hasReorderedLoads { joinFences(by: thread) }
    }

    /// Advances the thread's own time, so that the steps after a release are later than the
    /// release.
    @inline(__always)
    func tick() {
      let lane = currentLane
      guard lane >= 0, state.pointee.hasClocks else { return }
      threads[state.pointee.current].clock &+= Clock.unit(lane)
    }

    /// Returns whether the step at `time`, of the thread with `lane`, happened before the current
    /// step.
    @inline(__always)
    func happenedBefore(lane: Int, time: UInt32) -> Bool {
      // The steps of the scenario happened before; so did all steps when the scenario runs again.
      lane < 0 || !state.pointee.hasClocks || time <= currentClock[lane]
    }

    /// Joins the clocks of all threads. All their steps happened before the next step.
    func joinAll() {
      guard state.pointee.hasClocks else { return }
      for thread in 1..<max(1, state.pointee.threadCount) where thread != state.pointee.current {
        join(threads[thread].clock, by: state.pointee.current)
      }
    }
  }

  extension Engine {
    /// Checks a plain access to a node.
    ///
    /// It is not a scheduling point. The check finds a race by the happens-before order of the two
    /// accesses, so the strategy need not execute them in both orders.
    func access(_ address: UnsafeRawPointer, isWrite: Bool, _ site: cws_site) {
      let address = UInt(bitPattern: address)
      guard offset(of: address) < UInt(Arena.byteCount) else { return }
      let step = record(isWrite ? .write : .read, site, address: address)
      checkNode(at: address, step)
      guard state.pointee.hasClocks, currentLane >= 0 else { return }
      let (index, isNew) = state.pointee.wordTable.index(of: address)
      let word = state.pointee.words + index
      if isNew { word.initialize(to: PlainWord()) }
      checkWrite(of: word, site)
      if isWrite {
        checkReads(of: word, site)
        word.pointee.writeLane = Int32(currentLane)
        word.pointee.writeTime = currentClock[currentLane]
        word.pointee.writeStep = Int32(step)
      } else {
        word.pointee.reads.replaceLane(currentLane, with: currentClock)
        word.pointee.readSteps[currentLane] = Int32(step)
      }
    }

    private func checkWrite(of word: UnsafeMutablePointer<PlainWord>, _ site: cws_site) {
      if !happenedBefore(lane: Int(word.pointee.writeLane), time: word.pointee.writeTime) {
        fail(.dataRace, self.site(ofStep: Int(word.pointee.writeStep)), site)
      }
    }

    private func checkReads(of word: UnsafeMutablePointer<PlainWord>, _ site: cws_site) {
      if let lane = word.pointee.reads.laneAhead(of: currentClock, except: currentLane) {
        fail(.dataRace, self.site(ofStep: Int(word.pointee.readSteps[lane])), site)
      }
    }
  }
#endif
