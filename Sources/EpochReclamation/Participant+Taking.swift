import Primitives

// A fork leaves the child one thread and all records. Those of the other threads stay in use and perhaps
// pinned for ever: they are recognized by a count of forks that is not this process's, and an advance
// overlooks them. What such a thread was doing may be half done, so its bag is left alone; the sealed
// ones are whole at any time, and anybody takes them.
//
// Invariant: a record's count of forks changes from an old one to the process's once, and whoever
// changes it owns the record if it was in use; if it was not, it is free as any other.

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

  /// Goes on in a child process, as the participant of the thread that forked.
  func stayAfterFork() {
    // Relaxed, both: no other thread exists.
    record.pointee.forkCount.store(CurrentProcess.forkCount, ordering: .relaxed)
    record.pointee.threadNumber.store(CurrentThread.number, ordering: .relaxed)
  }
}

extension EpochDomain {
  /// Called in a child process: its one thread keeps its participants, pins included.
  static let stayAfterFork: @convention(c) () -> Void = {
    var next = newestOfThisThread
    while let participant = next {
      participant.stayAfterFork()
      next = participant.own.nextOfThread
    }
  }
}
