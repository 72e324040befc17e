import Primitives

/// The memory of one participant: linked into its domain once, reused when its thread has ended.
///
/// What threads share are atomics. What the owner alone touches, `Own`, stands behind the record and is
/// not a part of it: to change a part is, to Swift's exclusivity and ThreadSanitizer, to change the whole.
///
/// What an advance reads of every participant and nobody writes comes first, 64 bytes of it; `state` and
/// what else a pin needs stand together on one line behind it.
struct ParticipantRecord: ~Copyable {
  /// Does not change once the record is in the domain's list. First: see `ParticipantList`.
  var next: Participant?
  let bagCapacity: Int
  let isInUse = Atomic<Bool>(true)
  let threadNumber: Atomic<UInt64>
  /// `CurrentProcess.forkCount` when the owner began to take part. Another one is that of a thread which
  /// a fork left behind: it never goes on.
  let forkCount: Atomic<UInt64>

  // Full bags by tag modulo 3, so that those which an advance makes reclaimable stand in one list.
  let sealed0 = SealedBags()
  let sealed1 = SealedBags()
  let sealed2 = SealedBags()

  private let padding = CacheLinePadding()

  /// A `PinState`: the owner's pin, and whether it is quiet.
  let state = Atomic<UInt64>(0)

  // Written by the owner alone, read by telemetry.
  let retiredCount = Atomic<Int>(0)
  let reclaimedCount = Atomic<Int>(0)

  struct Own {
    /// Retained while the record is in use: a domain lives as long as a thread takes part in it.
    let domain: Unmanaged<EpochDomain>
    var due: Due = []
    /// How many more pins by exchange, without a retire between, until the participant becomes quiet.
    var pinsUntilQuiet: Int
    var nextOfThread: Participant?
    var bag: Bag?
    var spareBag: Bag?
    /// The weight of what is retired between two attempts to advance, and how much of it is left.
    var advanceInterval: Int
    var weightUntilAdvance: Int
    /// The newest epoch that this participant saw when it attempted to advance.
    var epochOfLastAttempt: UInt64
    var hasFailedToAdvance = false
    var isReclaiming = false

    init(domain: EpochDomain) {
      self.domain = .passUnretained(domain)
      advanceInterval = domain.bagCapacity
      weightUntilAdvance = domain.bagCapacity
      pinsUntilQuiet = domain.pinsUntilQuiet
      // Relaxed: a guess, see `EpochDomain.advanceByTheWay`.
      epochOfLastAttempt = domain.epoch.load(ordering: .relaxed)
    }
  }

  /// What a participant has to do outside its pins; empty nearly always.
  struct Due: OptionSet {
    let rawValue: UInt8
    static var collection: Due { Due(rawValue: 1) }
    static var stallReport: Due { Due(rawValue: 2) }
  }

  init(bagCapacity: Int) {
    self.bagCapacity = bagCapacity
    threadNumber = Atomic(CurrentThread.number)
    forkCount = Atomic(CurrentProcess.forkCount)
  }
}
