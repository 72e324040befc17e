import Primitives

extension EpochDomain {
  /// This thread's participant, made on its first use of the domain.
  var participantOfThisThread: Participant {
    if let newest = ThreadSlot.participants.value {
      let participant = Participant(
        record: newest.assumingMemoryBound(to: ParticipantRecord.self))
      if isDomain(of: participant) { return participant }
    }
    return findOrRegister()
  }

  private func isDomain(of participant: Participant) -> Bool {
    participant.own.domain.toOpaque() == Unmanaged.passUnretained(self).toOpaque()
  }

  @inline(never)
  private func findOrRegister() -> Participant {
    let found = Self.unlink { isDomain(of: $0) } ?? register()
    found.own.nextOfThread = Self.newestOfThisThread
    ThreadSlot.participants.value = UnsafeMutableRawPointer(found.record)
    CurrentThread.atExit(UnsafeMutableRawPointer(found.record), Self.leaveAll)
    CurrentProcess.afterFork(Self.stayAfterFork)
    return found
  }

  /// Takes a participant out of this thread's list, so that it can be put to the front.
  private static func unlink(where isWanted: (Participant) -> Bool) -> Participant? {
    var previous: Participant?
    var next = newestOfThisThread
    while let participant = next {
      next = participant.own.nextOfThread
      if isWanted(participant) {
        // Never the first: that one would have been found without a search.
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
    _ = Unmanaged.passRetained(self)  // Released in `leaveAll`.
    return reuseRecord() ?? addRecord()
  }

  /// The record of a thread that has ended.
  private func reuseRecord() -> Participant? {
    var next = participants.first
    while let participant = next {
      if participant.takeVanished() || participant.takeEnded() {
        // Relaxed: for telemetry alone.
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

  /// Called when a thread ends: gives up its participants, from `newest` on.
  ///
  /// What they retired goes to where other participants take it. A destructor of a later thread-local
  /// variable may use a collection once more; it registers anew and this is called once more.
  private static let leaveAll: @convention(c) (UnsafeMutableRawPointer?) -> Void = { newest in
    ThreadSlot.participants.value = nil
    var next = newest.map {
      Participant(record: $0.assumingMemoryBound(to: ParticipantRecord.self))
    }
    while let participant = next {
      next = participant.own.nextOfThread
      leave(participant)
    }
  }

  private static func leave(_ participant: Participant) {
    participant.own.nextOfThread = nil
    participant.sealBag()
    // Releasing: as an unpin does. Whoever has ended must not make advances need a barrier.
    participant.record.pointee.state.store(PinState.idle.word, ordering: .releasing)
    let domain = participant.own.domain
    // Releasing: pairs with the acquiring exchange in `reuseRecord`.
    participant.record.pointee.isInUse.store(false, ordering: .releasing)
    domain.release()
  }

  /// Called in a child process, whose only thread keeps its participants and their pins.
  private static let stayAfterFork: @convention(c) () -> Void = {
    var next = newestOfThisThread
    while let participant = next {
      // Relaxed, both: no other thread exists.
      participant.record.pointee.forkCount.store(CurrentProcess.forkCount, ordering: .relaxed)
      participant.record.pointee.threadNumber.store(CurrentThread.number, ordering: .relaxed)
      next = participant.own.nextOfThread
    }
  }
}

/// All participants that a domain ever had, newest first. The list only grows.
///
/// Walking it needs no pin: records are not freed while their domain lives.
struct ParticipantList: ~Copyable {
  private let head = Atomic<UnsafeMutablePointer<ParticipantRecord>?>(nil)

  /// Sequentially consistent; pairs with the insertion in `insert`: a participant that pinned before
  /// this load, in the order S of `EpochDomain.swift`, is in the list that it finds.
  var first: Participant? {
    head.load(ordering: .sequentiallyConsistent).map(Participant.init(record:))
  }

  borrowing func insert(_ participant: Participant) {
    // Relaxed: only a guess, which the exchange checks; nothing is read through it.
    var first = head.load(ordering: .relaxed)
    while true {
      participant.record.writing().pointee.next =
        first.map(Participant.init(record:))
      // Sequentially consistent; pairs with the load in `first`: it precedes this participant's first
      // pin, so that an advance which must see that pin sees the record. Failing, as the guess above.
      let (done, current) = head.compareExchange(
        expected: first, desired: participant.record, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed)
      if done { return }
      first = current
    }
  }
}

// @unchecked: the head is atomic, and records share only atomics among threads.
extension ParticipantList: @unchecked Sendable {}

extension Participant {
  /// The next one in the list.
  var next: Participant? { record.reading().pointee.next }
}

// Taking over records. A fork leaves the child one thread and all records. Those of the other threads stay
// in use, and perhaps pinned, indefinitely. A fork count other than this process's identifies them, and an
// advance ignores them. Such a thread may have been interrupted halfway, so its bag is left alone. Sealed
// bags are consistent at any time, and any participant takes them.
//
// Invariant: a record's fork count changes once from an old one to the process's. The thread that changes
// it owns the record if the record was in use; otherwise the record is as free as any other.

extension Participant {
  /// Whether the owner is a thread that a fork left behind.
  var hasVanished: Bool {
    // Relaxed: what it is compared with is constant while the process has several threads, and a record
    // taken over is at worst overlooked before its new owner's first pin.
    record.pointee.forkCount.load(ordering: .relaxed) != CurrentProcess.forkCount
      && record.pointee.isInUse.load(ordering: .relaxed)
  }

  /// Makes the calling thread the owner if the record's last one has ended.
  func takeEnded() -> Bool {
    // Acquiring: pairs with the releasing store in `EpochDomain.leave`; hands over what the owner left.
    // Failing, the record is somebody's and nothing of it is read.
    record.pointee.isInUse.compareExchange(
      expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Makes the calling thread the owner if a fork left the last one behind.
  func takeVanished() -> Bool {
    let count = CurrentProcess.forkCount
    // Relaxed, all: the fork ordered what vanished threads did, and of those that live in this process
    // only one gets past the exchange. While the count is old nobody changes `isInUse`.
    let last = record.pointee.forkCount.load(ordering: .relaxed)
    guard last != count else { return false }
    let wasInUse = record.pointee.isInUse.load(ordering: .relaxed)
    let (done, _) = record.pointee.forkCount.compareExchange(
      expected: last, desired: count, ordering: .relaxed)
    guard done && wasInUse else { return false }
    record.pointee.state.store(PinState.idle.word, ordering: .relaxed)
    startAnew()
    return true
  }
}
