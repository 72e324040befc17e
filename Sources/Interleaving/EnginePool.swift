#if Interleaving
  import CInterleaving
  import CShims
  import Primitives

  /// Engines that nobody uses: their tables and stacks are large, and stay.
  enum EnginePool {
    private static let idle = Mutex<[Engine]>([])

    static func take(stepLimit: Int) -> Engine {
      let found = idle.withLock { engines -> Engine? in
        let index = engines.firstIndex { $0.state.pointee.recordings.stepCapacity >= stepLimit }
        return index.map { engines.remove(at: $0) }
      }
      return found ?? make(stepCapacity: max(stepLimit, 1 << 15))
    }

    static func giveBack(_ engine: Engine) {
      engine.forgetPlan()
      idle.withLock { $0.append(engine) }
    }

    private static func make(stepCapacity: Int) -> Engine {
      precondition(Exploration.isSwitchAvailable, "virtual threads are not available here")
      let state = UnsafeMutablePointer<EngineState>.allocate(capacity: 1)
      state.initialize(to: EngineState(hooks: Engine.hooks, stepCapacity: stepCapacity))
      return Engine(state: state)
    }
  }

  // @unchecked: whoever takes it from the pool has it alone.
  extension Engine: @unchecked Sendable {}
#endif
