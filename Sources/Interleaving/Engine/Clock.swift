#if Interleaving
  import CShims

  // Happens-before, by vector clocks as FastTrack has them (Flanagan and Freund, 2009).
  //
  //  1. Lane *i* of a thread's clock is the newest time of thread *i* + 1 that happened before; its
  //     own lane is its own time, which begins with 1 and grows with every release.
  //  2. A release leaves the thread's clock at the word, an acquire takes the word's into the
  //     thread's. A read-modify-write that does not release hands on what it found (a release
  //     sequence).
  //  3. An access at time *c* of thread *t* happened before now if lane *t* of the clock is at
  //     least *c*.
  //
  // The scenario itself has no lane: it runs only while no other thread does. With more than eight
  // others nothing is checked.

  /// A vector clock.
  typealias Clock = SIMD8<UInt32>

  extension Clock {
    /// The most threads, besides the scenario, whose accesses are checked.
    static var lanes: Int { 8 }

    /// One in the lane, zero in the others.
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

    /// The first lane in which this clock is ahead of `other`, `except` left out; nil if there is
    /// none.
    @inline(__always)
    func laneAhead(of other: Clock, except: Int) -> Int? {
      guard any(self .> other) else { return nil }
      return (0..<Clock.lanes).first { $0 != except && self[$0] > other[$0] }
    }

    /// Takes one lane of `other`.
    @inline(__always)
    mutating func replaceLane(_ lane: Int, with other: Clock) {
      replace(with: other, where: Clock.unit(lane) .!= 0)
    }
  }

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

  extension Engine {
    /// A plain access to a node: no scheduling point, since whatever comes between it and the next
    /// atomic step of another thread is found by the order of the two, not by their times.
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
