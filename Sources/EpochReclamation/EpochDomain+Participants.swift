import Primitives

extension EpochDomain {
  /// The participant of the calling thread. The first access creates it.
  var participantOfThisThread: Participant {
    if let newest = ThreadSlot.participants.value {
      let participant = Participant(
        record: newest.assumingMemoryBound(to: ParticipantRecord.self))
      if isDomain(of: participant) { return participant }
    }
    return findOrRegister()
  }

  func isDomain(of participant: Participant) -> Bool {
    participant.own.domain.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
  }

  @inline(never)
  private func findOrRegister() -> Participant {
    let found = Self.unlink { isDomain(of: $0) } ?? register()
    found.own.nextOfThread = Self.newestOfThisThread
    ThreadSlot.participants.value = UnsafeMutableRawPointer(found.record)
    CurrentThread.atExit(UnsafeMutableRawPointer(found.record), Self.unregisterAll)
    CurrentProcess.afterFork(Self.stayAfterFork)
    return found
  }

  /// Removes a matching participant from this thread's list, so that it can be put to the front.
  private static func unlink(where isWanted: (Participant) -> Bool) -> Participant? {
    var previous: Participant?
    var next = newestOfThisThread
    while let participant = next {
      next = participant.own.nextOfThread
      if isWanted(participant) {
        // Never the first participant: `participantOfThisThread` has checked that one.
        previous?.own.nextOfThread = next
        return participant
      }
      previous = participant
    }
    return nil
  }

  private static var newestOfThisThread: Participant? {
    ThreadSlot.participants.value.map {
      Participant(record: $0.assumingMemoryBound(to: ParticipantRecord.self))
    }
  }

  private func register() -> Participant {
    _ = Unmanaged.passRetained(self)  // Released in `unregister`.
    return reuseRecord() ?? addRecord()
  }

  /// Takes over the record of a thread that has ended; returns nil if there is none.
  private func reuseRecord() -> Participant? {
    var next = participants.first
    while let participant = next {
      if participant.takeVanished() || participant.takeEnded() {
        // Relaxed: only telemetry reads it.
        participant.record.pointee.threadNumber.store(CurrentThread.number, ordering: .relaxed)
        return participant
      }
      next = participant.next
    }
    return nil
  }

  private func addRecord() -> Participant {
    let participant = Participant(in: self)
    participants.insert(participant)
    return participant
  }

  /// Releases the participants of a thread that ends, beginning with `newest`.
  ///
  /// Other participants take over the retired entries. A destructor of a later thread-local
  /// variable may use a collection again: it registers a new participant, and this handler runs
  /// again.
  private static let unregisterAll: @convention(c) (UnsafeMutableRawPointer?) -> Void = { newest in
    ThreadSlot.participants.value = nil
    var next = newest.map {
      Participant(record: $0.assumingMemoryBound(to: ParticipantRecord.self))
    }
    while let participant = next {
      next = participant.own.nextOfThread
      unregister(participant)
    }
  }

  private static func unregister(_ participant: Participant) {
    participant.own.nextOfThread = nil
    participant.sealBag()
    // Releasing: as an unpin. The idle state also keeps a thread that has ended from making
    // advances need a barrier.
    participant.record.pointee.state.store(PinState.idle.word, ordering: .releasing)
    let domain = participant.own.domain
    // The next owner becomes asymmetric by its own pins.
    participant.own.pinsUntilAsymmetric = domain.takeUnretainedValue().pinsUntilAsymmetric
    // Releasing: pairs with the acquiring compare-exchange in `takeEnded`, which `reuseRecord`
    // calls.
    participant.record.pointee.isInUse.store(false, ordering: .releasing)
    domain.release()
  }

  /// Runs in a child process, whose only thread keeps its participants and their pins.
  static let stayAfterFork: @convention(c) () -> Void = {
    var next = newestOfThisThread
    while let participant = next {
      // Relaxed, both: no other thread exists.
      participant.record.pointee.forkCount.store(CurrentProcess.forkCount, ordering: .relaxed)
      participant.record.pointee.threadNumber.store(CurrentThread.number, ordering: .relaxed)
      next = participant.own.nextOfThread
    }
  }
}

/// The participants that a domain ever had, newest first. The list only grows.
///
/// Reading it needs no pin: a record is not freed while its domain lives.
struct ParticipantList: ~Copyable {
  private let head = Atomic<UnsafeMutablePointer<ParticipantRecord>?>(nil)

  /// The newest participant.
  ///
  /// Sequentially consistent; pairs with the compare-exchange in `insert`. If a participant pinned
  /// before this load, in the order S of `EpochDomain.swift`, the list that this load finds
  /// contains the participant.
  var first: Participant? {
    head.load(ordering: .sequentiallyConsistent).map(Participant.init(record:))
  }

  borrowing func insert(_ participant: Participant) {
    // Relaxed: a guess that the compare-exchange checks; nothing is read through it.
    var first = head.load(ordering: .relaxed)
    while true {
      participant.record.writing().pointee.next =
        first.map(Participant.init(record:))
      // Sequentially consistent; pairs with the load in `first`: it precedes this participant's
      // first pin, so an advance that must see that pin sees the record. On failure relaxed: a
      // guess, as above.
      let (done, current) = head.compareExchange(
        expected: first, desired: participant.record, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed)
      if done { return }
      first = current
    }
  }
}

// @unchecked: the head is atomic, and threads share only the atomic fields of records.
extension ParticipantList: @unchecked Sendable {}

extension Participant {
  /// The next participant in the list.
  var next: Participant? { record.reading().pointee.next }
}

// Taking over records. After a fork, the child has one thread and all records. The records of the
// other threads stay in use, and perhaps pinned, indefinitely. Their fork count differs from that
// of this process, and an advance ignores them. Such a thread may have been interrupted in the
// middle of an operation, so its bag is never used again. Sealed bags are consistent at any time,
// and any participant takes them.
//
// Invariant: a record's fork count changes once from an old value to that of the process. The
// thread that changes it owns the record if the record was in use; otherwise the record is free,
// like any other.

extension Participant {
  /// Whether the owner is a thread that a fork left behind.
  var hasVanished: Bool {
    // Relaxed, both: `CurrentProcess.forkCount` is constant while the process has several threads.
    // At worst, a scan ignores a record that another thread has just taken over and not yet pinned.
    record.pointee.forkCount.load(ordering: .relaxed) != CurrentProcess.forkCount
      && record.pointee.isInUse.load(ordering: .relaxed)
  }

  /// Makes the calling thread the owner if the last owner has ended; returns whether it did.
  func takeEnded() -> Bool {
    // Acquiring: pairs with the releasing store in `unregister` and hands over the owner's state.
    // On failure relaxed: another thread owns the record, and nothing is read from it.
    record.pointee.isInUse.compareExchange(
      expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Makes the calling thread the owner if a fork left the last owner behind; returns whether it
  /// did.
  func takeVanished() -> Bool {
    let count = CurrentProcess.forkCount
    // Relaxed, all: the fork ordered the actions of the vanished threads, and only one living
    // thread passes the compare-exchange. While the fork count is old, no thread changes `isInUse`.
    let last = record.pointee.forkCount.load(ordering: .relaxed)
    guard last != count else { return false }
    let wasInUse = record.pointee.isInUse.load(ordering: .relaxed)
    let (done, _) = record.pointee.forkCount.compareExchange(
      expected: last, desired: count, ordering: .relaxed)
    guard done && wasInUse else { return false }
    record.pointee.state.store(PinState.idle.word, ordering: .relaxed)
    resetOwn()
    return true
  }
}
