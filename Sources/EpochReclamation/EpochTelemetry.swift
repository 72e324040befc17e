import Primitives

/// Counters of a domain. Each of them is exact while no thread uses the domain.
public struct EpochTelemetry: Sendable, Equatable {
  /// A participant that was pinned when the telemetry was read.
  public struct Pin: Sendable, Equatable {
    /// The number of the thread, as debuggers and procfs show it.
    public var threadNumber: UInt64
    /// The epoch in which the thread was pinned.
    public var epoch: UInt64
  }

  /// The current epoch.
  public var epoch: UInt64
  /// The number of threads that use the domain and have not ended.
  public var participants: Int
  /// The number of entries retired so far.
  public var retired: Int
  /// The number of entries reclaimed so far.
  public var reclaimed: Int
  /// The number of times that the epoch advanced.
  public var advances: Int
  /// The number of attempts to advance the epoch that failed.
  public var failedAdvances: Int
  /// The participants that were pinned, in no particular order.
  public var pins: [Pin]
  /// The thread whose pin made the last attempt to advance fail; nil after a successful attempt.
  public var blockedBy: UInt64?

  /// The oldest epoch of these pins; nil without a pin. If it is older than `epoch`, it blocks
  /// advances.
  public var oldestPinnedEpoch: UInt64? { pins.lazy.map { $0.epoch }.min() }

  /// The number of entries that are retired and not yet reclaimed.
  public var backlog: Int { retired - reclaimed }
}

extension EpochDomain {
  /// The counters of this domain.
  ///
  /// - Complexity: O(participants).
  public var telemetry: EpochTelemetry {
    // Relaxed, all: independent counters, and no other data is read through them.
    let now = epoch.load(ordering: .relaxed)
    let blocker = blocker.load(ordering: .relaxed)
    var telemetry = EpochTelemetry(
      epoch: now, participants: 0, retired: 0, reclaimed: 0, advances: Int(now - Self.firstEpoch),
      failedAdvances: failedAdvances.load(ordering: .relaxed), pins: [],
      blockedBy: blocker == 0 ? nil : blocker)
    var next = participants.first
    while let participant = next {
      telemetry.add(participant)
      next = participant.next
    }
    return telemetry
  }

  /// Reports a thread that has been pinned too long: prints one line on standard error, only once
  /// per process.
  public static func printStall(_ telemetry: EpochTelemetry) {
    let thread = telemetry.blockedBy.map { "thread \($0)" } ?? "an unknown thread"
    let line = """
      \(thread) has been pinned too long: it keeps \(telemetry.backlog) retired entries, and values \
      that were removed meanwhile, from being released; shorten the closure that it passed to \
      withValue
      """
    // Relaxed: the first caller prints, whichever that is.
    if !hasPrintedStall.exchange(true, ordering: .relaxed) { printError(line) }
  }

  private static let hasPrintedStall = Atomic<Bool>(false)

  /// Traps if the participant is pinned in an epoch later than the current one.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants(of participant: Participant) {
    #if InternalChecks
      // Sequentially consistent, both: the state is read first, so that the epoch read next is not
      // older.
      let word = participant.record.pointee.state.load(ordering: .sequentiallyConsistent)
      let now = epoch.load(ordering: .sequentiallyConsistent)
      let state = PinState(word: word)
      precondition(
        !state.isPinned || state.epoch <= now,
        "pinned in epoch \(state.epoch), which is later than the current epoch \(now)")
    #endif
  }
}

extension EpochTelemetry {
  fileprivate mutating func add(_ participant: Participant) {
    let record = participant.record
    // Relaxed, all: see `EpochDomain.telemetry`.
    retired += record.pointee.retiredCount.load(ordering: .relaxed)
    reclaimed += record.pointee.reclaimedCount.load(ordering: .relaxed)
    if participant.hasVanished { return }
    if record.pointee.isInUse.load(ordering: .relaxed) { participants += 1 }
    let state = PinState(word: record.pointee.state.load(ordering: .relaxed))
    guard state.isPinned else { return }
    let number = record.pointee.threadNumber.load(ordering: .relaxed)
    pins.append(Pin(threadNumber: number, epoch: state.epoch))
  }
}
