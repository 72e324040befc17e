import Primitives

/// What a domain has done so far; each figure is exact when no thread is using the domain.
public struct EpochTelemetry: Sendable, Equatable {
  /// A participant that was pinned when the figures were read.
  public struct Pin: Sendable, Equatable {
    /// The thread, as debuggers and procfs number it.
    public var threadNumber: UInt64
    public var epoch: UInt64
  }

  public var epoch: UInt64
  /// Threads that use the domain and have not ended.
  public var participants: Int
  public var retired: Int
  public var reclaimed: Int
  public var advances: Int
  public var failedAdvances: Int
  public var pins: [Pin]
  /// The thread whose pin made the last attempt to advance fail; nil after one that succeeded.
  public var blockedBy: UInt64?

  /// The epoch of the oldest of these pins, which holds the epoch up unless it is the current one.
  public var oldestPinnedEpoch: UInt64? { pins.lazy.map { $0.epoch }.min() }

  /// Entries retired and not yet reclaimed.
  public var backlog: Int { retired - reclaimed }
}

extension EpochDomain {
  /// - Complexity: O(participants).
  public var telemetry: EpochTelemetry {
    // Relaxed, all: single figures, and no other data is read through them.
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

  /// Stops a debug build with a line that names the thread which has been pinned too long; a release
  /// build prints the line, once.
  public static func assertNoStall(_ telemetry: EpochTelemetry) {
    let line =
      "\(telemetry.backlog) retired entries are kept by the pin of thread "
      + (telemetry.blockedBy.map { "\($0)" } ?? "?")
    assertionFailure(line)
    // Relaxed: whoever comes first prints, whatever the order.
    if !hasPrintedStall.exchange(true, ordering: .relaxed) { printError(line) }
  }

  private static let hasPrintedStall = Atomic<Bool>(false)

  /// Traps unless the participant, when pinned, is pinned in the epoch or in one before it.
  ///
  /// Does nothing without the trait `InternalChecks`.
  func checkInvariants(of participant: Participant) {
    #if InternalChecks
      // Sequentially consistent, both: the state is read first, so that the epoch read next is no older.
      let word = participant.record.pointee.state.load(ordering: .sequentiallyConsistent)
      let now = epoch.load(ordering: .sequentiallyConsistent)
      let state = PinState(word: word)
      precondition(
        !state.isPinned || state.epoch <= now, "nobody is pinned in an epoch to come")
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
