import Interleaving
import Primitives
import StressTesting
import WeakCollections

/// What can be wrong with the lock-free structures: defects in them and weakened orderings.
///
/// A subject selects its defect for the whole process when it is made: one of them at a time.
enum StructureMutants {
  static var all: [Mutant] { arrays + dictionaries + weakenings + equivalents }

  private static var arrays: [Mutant] {
    [
      array(
        .freezeNotHonoured, "p0/p1,k", "appends are still counted in a generation that was copied"),
      array(
        .removeTakenForDone, "p0,r0/p1,k", "a removal that another thread prevented counts as done"),
      array(
        .slotReused, "p0,d0,p1/a",
        "an entry goes into the slot of a dead one, which is freed at once (ABA)"),
      array(.countedBeforeFilled, "p0/a", "a slot is counted before it is filled"),
      array(
        .noSecondLook, "p0,d0,a/p1,d0", "a snapshot in which some have died does not look again"),
      array(
        .loserGoesOn, "p0,k/p1,k", "who does not get to replace a generation goes on as if it had"),
      array(
        .generationFreedAtOnce, "p0,k/a", "a generation that was replaced is given back at once"),
      array(.droppedNotRetired, "p0,r0", "entries that a new generation leaves out are forgotten"),
    ]
  }

  private static var dictionaries: [Mutant] {
    [
      dictionary(
        .frozenBucketWritten, growth, "a write goes into a bucket that was frozen and copied"),
      dictionary(.bucketForgotten, growth, "a new table lacks the nodes of the first bucket"),
      dictionary(.claimIgnored, "u0-0/s0-1", "setValue writes a key whose update is running"),
      dictionary(.bodyRunsTwice, "u0-0", "update runs its body twice"),
      dictionary(
        .winnersNodeDestroyed, "i0-0/g0", "get-or-insert gives back the node that it inserted"),
      dictionary(
        .nodeFreedAtOnce, "s0-0,s0-1/g0", "a node that was replaced is given back at once"),
      dictionary(
        .neighboursLost, "s0-0,s1-1,s0-2,g1",
        "the nodes before the one replaced are left out of the chain"),
      dictionary(
        .lostWakeUp, "u0-0/u0-1", "who waits for a claim's end reads its ticket after it has looked"
      ),
      dictionary(.countNeverFalls, "s0-0,r0,n", "removals are not counted"),
    ]
  }

  private static var weakenings: [Mutant] {
    [
      array(
        "slot-not-published", "p0/a", "the exchange that fills a slot is relaxed",
        .weakening("SlotArray.swift", "append(_:)", .exchange, to: .relaxed)),
      array(
        "generation-not-published", "p0,k/a", "the exchange of the root is relaxed",
        .weakening("LockFreeWeakArray.swift", "exchangeRoot(_:for:capacity:dropped:)", to: .relaxed)
      ),
      array(
        "root-not-acquired", "p0,k/a", "the root is loaded relaxed",
        .weakening("LockFreeWeakArray.swift", "current", to: .relaxed)),
      dictionary(
        "chain-not-published", "s0-0/g0", "the exchange of a bucket's chain is relaxed",
        .weakening("BucketTable.swift", "exchange(_:for:)", to: .relaxed)),
      dictionary(
        "chain-not-acquired", "s0-0/g0", "a bucket is loaded relaxed",
        .weakening("BucketTable.swift", "load()", to: .relaxed)),
      dictionary(
        "table-not-published", growth, "the exchange of the table is relaxed",
        .weakening("LockFreeDictionary+Resizing.swift", "replace(_:)", to: .relaxed)),
    ]
  }

  private static var equivalents: [Mutant] {
    [
      array(
        "freeze-relaxed", "p0/p1,k/a", "a generation is frozen by a relaxed operation",
        .weakening("SlotArray.swift", "freeze()", to: .relaxed),
        equivalence:
          "an append's exchange of the same word cannot miss the freeze, and the loads of "
          + "the slots acquire the entries"),
      dictionary(
        "signal-not-sequential", "u0-0/u0-1", "a claim's end is announced by a relaxed addition",
        .weakening("Waiting.swift", "signal()", to: .relaxed),
        equivalence: "the kernel's look at the word, before it puts a waiter to sleep, is a barrier"
      ),
      dictionary(
        "wait-not-sequential", "u0-0/u0-1", "a waiter announces itself by a relaxed addition",
        .weakening("Waiting.swift", "wait(for:)", to: .relaxed),
        equivalence: "the kernel's look at the word, before it puts a waiter to sleep, is a barrier"
      ),
    ]
  }

  /// One thread writes as many keys as make the table grow, another writes and reads meanwhile.
  private static let growth = "s0-0,s2-1,s4-2,s6-3,s8-4,s10-5,s12-6,s14-7,s1-8/s3-9,g3,g0"

  private static func array(_ defect: Defect, _ scenario: String, _ text: String) -> Mutant {
    array(defect.rawValue, scenario, text, .defect(defect))
  }

  private static func array(
    _ name: String, _ scenario: String, _ text: String, _ planting: Planting,
    equivalence: String? = nil
  ) -> Mutant {
    var subject = Subject(name) { domain -> Subject.WeakArray in
      planting.plant()
      return LockFreeWeakArray<Tracked>(domain: domain)
    }
    subject.weakenings = planting.weakenings
    return mutant(subject, scenario, text, equivalence)
  }

  private static func dictionary(_ defect: Defect, _ scenario: String, _ text: String) -> Mutant {
    dictionary(defect.rawValue, scenario, text, .defect(defect))
  }

  private static func dictionary(
    _ name: String, _ scenario: String, _ text: String, _ planting: Planting,
    equivalence: String? = nil
  ) -> Mutant {
    var subject = Subject(name) { domain -> Subject.Dictionary in
      planting.plant()
      return LockFreeDictionary<StressKey, Tracked>(domain: domain)
    }
    subject.weakenings = planting.weakenings
    return mutant(subject, scenario, text, equivalence)
  }

  private static func mutant(
    _ subject: Subject, _ text: String, _ defect: String, _ equivalence: String?
  ) -> Mutant {
    let original = BackendCatalog.subject(of: .lockFree, subject.collection)
    return Mutant(
      subject.name, .structure, defect,
      .scenario(subject, original: original, .trusted(text, for: subject.collection)),
      equivalence: equivalence)
  }
}
