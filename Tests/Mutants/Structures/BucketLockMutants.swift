import Interleaving
import Primitives
import StressTesting
import WeakCollections

/// What can be wrong with the dictionary whose readers do not look at its locks.
enum BucketLockMutants {
  static var all: [Mutant] { own + shared + weakenings }

  private static var own: [Mutant] {
    [
      mutant(.slotReusedUnsaid, "s0-0,r0,s1-1/g0", "a slot gets another key without a new version"),
      mutant(
        .movedBucketWritten, "s0-0,s1-1,s2-2,s3-3,s2-6/s0-4,g0",
        "a write goes into a bucket that is moved"),
      mutant(
        .movedBucketRead, "s0-0,s1-1,s2-2,s3-3,s1-4/s0-5,g0", "a read looks into a moved bucket"),
      mutant(.bucketLockedTwice, "s0-0/s1-1/a", "a bucket is locked by a load and a store"),
      mutant(
        .unlockedWithoutWaking, waiting, "a bucket is unlocked without waking those who wait"),
      mutant(.unlockedByStore, "s0-0/g0", "a bucket is unlocked by a store"),
      mutant(
        .unitHalfLocked, "s0-0,s1-1,s2-2,s3-3,s0-4,x,s1-5/born0-6:s2-6,g2",
        "of several buckets that are moved at once only the first is locked"),
      mutant(
        .restOfBucketLeft, "s0-0,s1-1,s2-2,s3-3,s0-4,g3", "the buckets behind one are not moved"),
    ]
  }

  /// Defects that `LockFreeDictionary` may have too.
  private static var shared: [Mutant] {
    [
      mutant("bucket-ticket-too-late", .lostWakeUp, waiting, "who waits reads its ticket too late"),
      mutant(
        "bucket-table-freed-at-once", .tableFreedAtOnce, "s0-0,s1-1,s2-2,s3-3,s0-4/g0",
        "a table that was replaced is given back at once"),
      mutant(
        "bucket-key-freed-at-once", .keyNodeFreedAtOnce, "s0-0,r0/g0",
        "the node of a removed key is given back at once"),
      mutant("bucket-body-runs-twice", .bodyRunsTwice, "u0-0", "update runs its body twice"),
      mutant(
        "bucket-loser-kept", .loserKept, "i0-0/i0-1",
        "get-or-insert does not give up the value that it did not insert"),
      mutant(
        "bucket-count-never-falls", .countNeverFalls, "s0-0,r0,n", "removals are not counted"),
    ]
  }

  private static var weakenings: [Mutant] {
    [
      mutant(
        "bucket-key-not-published", "s0-0/g0", "the store of a key is relaxed",
        .weakening("Bucket.swift", "setKey(_:_:unlinks:)", .store, to: .relaxed)),
      mutant(
        "bucket-key-not-acquired", "s0-0/g0", "the key of a slot is loaded relaxed",
        .weakening("Bucket.swift", "key(_:)", to: .relaxed)),
      mutant(
        "further-bucket-not-published", "s0-0,s1-1,s2-2,s3-3/g3",
        "the store of a bucket behind another one is relaxed",
        .weakening("Bucket.swift", "append(_:)", to: .relaxed)),
      mutant(
        "larger-table-not-published", growth, "the exchange of the next table is relaxed",
        .weakening("BucketTable.swift", "append(_:)", to: .relaxed)),
      mutant(
        "larger-table-not-acquired", growth, "the next table is loaded relaxed",
        .weakening("BucketTable.swift", "next", to: .relaxed)),
    ]
  }

  /// A bucket gets more keys than it has slots, so that the table grows, and others write meanwhile.
  private static let growth = "s0-0,s1-1,s2-2,s3-3/s0-4,g0,s1-5,g1"
  private static let waiting = "u0-0/u0-1"

  private static func mutant(_ defect: Defect, _ scenario: String, _ text: String) -> Mutant {
    mutant(defect.rawValue, defect, scenario, text)
  }

  private static func mutant(
    _ name: String, _ defect: Defect, _ scenario: String, _ text: String
  ) -> Mutant {
    mutant(name, scenario, text, .defect(defect))
  }

  private static func mutant(
    _ name: String, _ scenario: String, _ text: String, _ planting: Planting
  ) -> Mutant {
    var subject = Subject(name) { domain -> Subject.Dictionary in
      planting.plant()
      return BucketLockDictionary<StressKey, Tracked>(domain: domain, leastSize: 1)
    }
    subject.weakenings = planting.weakenings
    let original = BackendCatalog.subject(of: .bucketLock, .dictionary)
    return Mutant(
      name, .structure, text,
      .scenario(subject, original: original, .trusted(scenario, for: .dictionary)))
  }
}
