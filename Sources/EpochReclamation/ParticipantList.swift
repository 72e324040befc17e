import Primitives

/// All participants a domain ever had, newest first; it only grows.
///
/// - Note: Walking it needs no pin: records are never given back while their domain lives.
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
      if done || Defect.participantLost.isPlanted { return }
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
