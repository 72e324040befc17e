#if Interleaving
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
#endif
