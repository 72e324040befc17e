#if Interleaving
  import CInterleaving
  import CShims

  /// A scheduler of virtual threads, one of which runs at any time, all on one thread of the
  /// system.
  ///
  /// Each hook is a *scheduling point*: before the step is taken, the strategy decides which thread
  /// takes its next step; another than the current one is switched to, and the step waits. So
  /// between two scheduling points of a thread nothing of another happens. Invariants:
  ///
  ///  1. `runnable` holds exactly the threads that may take a step; each knows its place there.
  ///  2. A thread that spins is not runnable until another thread has taken a step.
  ///  3. The scenario is thread 0. It is never runnable: it runs before the others and when all
  ///     have ended.
  ///  4. Every decision is recorded, also when there was no choice; the rest follows from the
  ///     decisions.
  struct Engine {
    let state: UnsafeMutablePointer<EngineState>

    /// The one that runs the caller.
    @inline(__always)
    static var current: Engine {
      Engine(
        state: UnsafeMutableRawPointer(mutating: cws_scheduler_get()!)
          .assumingMemoryBound(to: EngineState.self))
    }

    @inline(__always) var threads: UnsafeMutablePointer<VirtualThread> { state.pointee.threads }
    @inline(__always) var locations: UnsafeMutablePointer<Location> { state.pointee.locations }
    @inline(__always) var counts: UnsafeMutablePointer<Recording> {
      state.pointee.recordings.counts
    }

    // SplitMix64 (Steele, Lea and Flood, 2014).
    @inline(__always)
    func draw() -> UInt64 {
      state.pointee.random &+= 0x9e37_79b9_7f4a_7c15
      return Self.mix(state.pointee.random)
    }

    @inline(__always)
    static func mix(_ value: UInt64) -> UInt64 {
      var z = value
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }

    /// A number below `bound`, which is small: the bias is below 2^-24.
    @inline(__always)
    func draw(below bound: Int) -> Int {
      let product = (draw() >> 32) &* UInt64(truncatingIfNeeded: bound)
      return Int(truncatingIfNeeded: product >> 32)
    }
  }
#endif
