#if Interleaving
  import CInterleaving

  extension Engine {
    /// Takes over the plan, with all counts at zero.
    func prepare(_ plan: Exploration, _ execution: Execution) {
      counts.pointee = Recording()
      counts.pointee.execution = UInt64(plan.firstExecution)
      state.pointee.execution = Unmanaged.passUnretained(execution)
      state.pointee.seed = plan.seed
      state.pointee.hasBuffers = plan.memory == .storeBuffers
      state.pointee.hasWeakenings = !plan.weakened.isEmpty
      state.pointee.hasObserver = plan.observer != nil
      state.pointee.suspendsOneThread = plan.suspendsOneThread
      state.pointee.stepLimit = plan.stepLimit
      execution.weakenings = WeakeningTable(plan.weakened)
      execution.observer = plan.observer
      if case .depthFirst(let bound) = plan.strategy { state.pointee.preemptionBound = bound }
      if case .replay(let schedule) = plan.strategy { prepare(schedule) }
    }

    private func prepare(_ schedule: Schedule) {
      let codes = UnsafeMutablePointer<UInt16>.allocate(capacity: schedule.decisions.count)
      _ = UnsafeMutableBufferPointer(start: codes, count: schedule.decisions.count)
        .initialize(from: schedule.decisions.lazy.map(\.code))
      state.pointee.replay = codes
      state.pointee.replayCount = schedule.decisions.count
    }

    func forgetPlan() {
      state.pointee.replay?.deallocate()
      state.pointee.replay = nil
      state.pointee.replayCount = 0
      state.pointee.execution = nil
    }

    func note(name: String, of thread: Int) {
      guard thread > counts.pointee.nameCount else { return }
      counts.pointee.nameCount = thread
      let capacity = Recordings.nameCapacity
      let bytes = Array(name.utf8.prefix(capacity - 1)) + [0]
      (state.pointee.recordings.names + thread * capacity).update(from: bytes, count: bytes.count)
    }

    func recordedName(of thread: Int) -> String {
      if thread == 0 { return "scenario" }
      let name = String(
        cString: state.pointee.recordings.names + thread * Recordings.nameCapacity)
      return name.isEmpty ? "thread \(thread)" : name
    }
  }

  extension Exploration {
    static var isSwitchAvailable: Bool { cil_can_switch() }
  }
#endif
