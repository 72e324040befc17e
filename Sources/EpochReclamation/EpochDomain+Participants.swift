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

  static var newestOfThisThread: Participant? {
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
      if participant.takeVanished() || participant.takeEnded() || Defect.recordSharedByTwo.isPlanted
      {
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
    if Defect.limboDroppedAtExit.isPlanted { participant.own.bag = nil }
    participant.sealBag()
    // Releasing: as an unpin does. Whoever has ended must not make advances need a barrier.
    participant.record.pointee.state.store(PinState.idle.word, ordering: .releasing)
    let domain = participant.own.domain
    // Releasing: pairs with the acquiring exchange in `reuseRecord`.
    participant.record.pointee.isInUse.store(false, ordering: .releasing)
    domain.release()
  }
}
