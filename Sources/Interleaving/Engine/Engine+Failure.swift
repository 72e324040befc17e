#if Interleaving
  import CShims

  extension Engine {
    /// Ends the execution with a failure. The failure does not count if a promise is not fulfilled.
    func fail(_ kind: FailureRecord.Kind, _ first: cws_site, _ second: cws_site) -> Never {
      if counts.pointee.promise != .kept, kind != .scheduleMismatch {
        counts.pointee.promise = .abandoned
        if state.pointee.strategy != .replay { leave() }
        counts.pointee.failure.count = counts.pointee.decisionCount
        counts.pointee.failure.kind = .scheduleMismatch
        leave()
      }
      counts.pointee.failure.kind = kind
      counts.pointee.failure.first = first
      counts.pointee.failure.second = second
      leave()
    }

    func fail(_ kind: FailureRecord.Kind, _ site: cws_site, _ message: String = "") -> Never {
      let bytes = Array(message.utf8.prefix(Recordings.messageCapacity))
      state.pointee.recordings.message.update(from: bytes, count: bytes.count)
      counts.pointee.messageCount = bytes.count
      fail(kind, site, cws_site())
    }

    func failEndless() -> Never {
      state.pointee.suspended >= 0
        ? fail(
          .lostProgress, cws_site(),
          "\(name(state.pointee.suspended)) is suspended, and the other threads do not end")
        : fail(.stepsWithoutEnd, cws_site())
    }

    /// Fails because every thread is blocked.
    func failWaiting() -> Never {
      let waiting = (0..<state.pointee.threadCount).filter {
        threads[$0].wait != .none || $0 == state.pointee.current && state.pointee.isAlone
      }
      let words = waiting.map { "\(name($0)) waits for \(reason(threads[$0].wait))" }
      let message = words.joined(separator: ", ")
      state.pointee.suspended >= 0
        ? fail(
          .lostProgress, cws_site(), "\(name(state.pointee.suspended)) is suspended, and \(message)"
        )
        : fail(.deadlock, cws_site(), message)
    }

    private func name(_ thread: Int) -> String {
      state.pointee.execution!.takeUnretainedValue().name(of: thread)
    }

    private func reason(_ wait: VirtualThread.Wait) -> String {
      switch wait {
      case .lock: "a lock"
      case .word: "a wake-up"
      case .thread: "a thread's end"
      case .none: "a step of another thread, but runs alone"
      }
    }
  }

  extension Engine {
    func outcome(of plan: Exploration, elapsed: Duration) -> Outcome {
      Outcome(
        executions: counts.pointee.executions,
        blockedExecutions: counts.pointee.blockedExecutions, steps: counts.pointee.steps,
        switches: counts.pointee.switches, weakenedSteps: counts.pointee.weakenedSteps,
        brokenExecutions: counts.pointee.brokenExecutions, elapsed: elapsed,
        failure: recordedFailure.map { failedExecution(of: plan, $0) },
        isExhaustive: counts.pointee.isExhausted && hasRoomForPromises,
        scope: plan.scope(ofSwitchesAt: "steps"), isInterrupted: false)
    }

    /// Returns the recorded execution with its failure.
    func failedExecution(of plan: Exploration, _ failure: Failure) -> FailedExecution {
      let codes = UnsafeBufferPointer(
        start: state.pointee.recordings.decisions, count: counts.pointee.decisionCount)
      return FailedExecution(
        failure: failure, seed: plan.seed, execution: counts.pointee.execution,
        schedule: Schedule(
          memory: plan.memory, decisions: codes.map(Decision.init), promises: promises),
        trace: steps, threads: (0..<counts.pointee.threadCount).map(recordedName))
    }

    private var promises: [PromisedStore] {
      Array(
        UnsafeBufferPointer(
          start: state.pointee.recordings.promises, count: counts.pointee.promiseCount))
    }

    private var recordedFailure: Failure? {
      let failure = counts.pointee.failure
      let (first, second) = (Site(failure.first), Site(failure.second))
      return switch failure.kind {
      case .none: nil
      case .assertion: .assertion(message)
      case .useAfterReclaim: .useAfterReclaim(access: first, reclaim: second)
      case .doubleReclaim: .doubleReclaim(first: first, second: second)
      case .reclaimedInUse: .reclaimedInUse(access: first, reclaim: second)
      case .strayAccess: .strayAccess(first)
      case .dataRace: .dataRace(first, second)
      case .leak: .leak(count: failure.count, allocations: leakedSites)
      case .lostProgress: .lostProgress(message)
      case .deadlock: .deadlock(message)
      case .stepsWithoutEnd: .stepsWithoutEnd
      case .scheduleMismatch: .scheduleMismatch(decision: failure.count)
      }
    }

    private var message: String {
      let bytes = UnsafeBufferPointer(
        start: state.pointee.recordings.message, count: counts.pointee.messageCount)
      return String(decoding: bytes, as: UTF8.self)
    }

    private var leakedSites: [Site] {
      let nodes = state.pointee.recordings.nodes
      let leaked = (0..<counts.pointee.nodeCount).lazy.filter { nodes[$0].isLive }
      return leaked.prefix(8).map { Site(site(ofStep: Int(nodes[$0].allocationStep))) }
    }

    private var steps: [Step] {
      var words: [UInt: Int] = [:]
      return (0..<counts.pointee.stepCount).map { index in
        step(state.pointee.recordings.trace[index], &words)
      }
    }

    private func step(_ record: StepRecord, _ words: inout [UInt: Int]) -> Step {
      let kind = Step.Kind(rawValue: record.kind)!
      return Step(
        thread: Int(record.thread), kind: kind,
        ordering: Ordering(rawValue: UInt32(record.ordering)), site: Site(record.site),
        variable: variable(record, &words), value: kind.hasValue ? record.value : nil,
        previous: kind == .update || kind == .compareExchange ? record.previous : nil,
        valueNode: kind.hasValue ? node(beginningAt: UInt(record.value)) : nil,
        isPromised: record.isPromised)
    }

    private func node(beginningAt address: UInt) -> String? {
      guard offset(of: address) < UInt(Arena.byteCount) else { return nil }
      let nodes = state.pointee.recordings.nodes
      let offset = Int(offset(of: address))
      return (0..<counts.pointee.nodeCount).first { nodes[$0].offset == offset }
        .map { "node \($0 + 1)" }
    }

    private func variable(_ record: StepRecord, _ words: inout [UInt: Int]) -> String? {
      if record.address == 0 { return nil }
      if record.node > 0 {
        let node = state.pointee.recordings.nodes[Int(record.node) - 1]
        return "node \(record.node) + \(Int(offset(of: record.address)) - node.offset)"
      }
      let number = words[record.address] ?? words.count + 1
      words[record.address] = number
      return "word \(number)"
    }
  }

  extension Step.Kind {
    fileprivate var hasValue: Bool {
      switch self {
      case .load, .store, .update, .compareExchange, .failedCompareExchange, .drain, .allocate,
        .wait:
        true
      default: false
      }
    }
  }
#endif
