import Primitives

/// The memory of one participant: linked into its domain once, reused when its thread has ended.
///
/// What threads share are atomics. What the owner alone touches, `Own`, stands behind the record and is
/// not a part of it: to change a part is, to Swift's exclusivity and ThreadSanitizer, to change the whole.
struct ParticipantRecord: ~Copyable {
  /// 0 when not pinned, else the epoch of the pin in the upper bits and 1 in the lowest.
  let state = Atomic<UInt64>(0)
  let isInUse = Atomic<Bool>(true)
  let threadNumber: Atomic<UInt64>

  // Full bags by tag modulo 3, so that those which an advance makes reclaimable stand in one list.
  let sealed0 = SealedBags()
  let sealed1 = SealedBags()
  let sealed2 = SealedBags()

  // Written by the owner alone, read by telemetry.
  let retiredCount = Atomic<Int>(0)
  let reclaimedCount = Atomic<Int>(0)

  /// Does not change once the record is in the domain's list.
  var next: Participant?

  struct Own {
    /// Retained while the record is in use: a domain lives as long as a thread takes part in it.
    let domain: Unmanaged<EpochDomain>
    let bagCapacity: Int
    var nextOfThread: Participant?
    var nesting = 0
    var bag: Bag?
    var spareBag: Bag?
    var retiresUntilAdvance: Int
    var isCollectionDue = false
    var isStallReportDue = false
    var isReclaiming = false

    init(domain: EpochDomain) {
      self.domain = .passUnretained(domain)
      bagCapacity = domain.bagCapacity
      retiresUntilAdvance = domain.bagCapacity
    }
  }

  init() {
    threadNumber = Atomic(CurrentThread.number)
  }
}
