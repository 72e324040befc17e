import Interleaving
import Primitives
import StressTesting
import WeakCollections

/// What can be wrong with the lock-free structures: defects in them and weakened orderings.
enum StructureMutants {
  static var all: [Mutant] { arrays + dictionaries + weakenings }

  private static var arrays: [Mutant] {
    [
      array(.freezeNotHonoured, "appends are still counted in a generation that was copied"),
      array(.removeTakenForDone, "a removal that another thread prevented counts as done"),
      array(.slotReused, "an entry goes into the slot of a dead one, which is freed at once (ABA)"),
      array(.countedBeforeFilled, "a slot is counted before it is filled"),
      array(.noSecondLook, "a snapshot in which some have died does not look again"),
      array(.loserGoesOn, "who does not get to replace a generation goes on as if it had"),
      array(.generationFreedAtOnce, "a generation that was replaced is given back at once"),
      array(.droppedNotRetired, "entries that a new generation leaves out are forgotten"),
    ]
  }

  private static var dictionaries: [Mutant] {
    [
      dictionary(.frozenBucketWritten, "a write goes into a bucket that was frozen and copied"),
      dictionary(.bucketForgotten, "a new table lacks the nodes of the first bucket"),
      dictionary(.claimIgnored, "setValue writes a key whose update is running"),
      dictionary(.bodyRunsTwice, "update runs its body twice"),
      dictionary(.winnersNodeDestroyed, "get-or-insert gives back the node that it inserted"),
      dictionary(.nodeFreedAtOnce, "a node that was replaced is given back at once"),
      dictionary(.neighboursLost, "the nodes before the one replaced are left out of the chain"),
      dictionary(.lostWakeUp, "who waits for a claim's end reads its ticket after it has looked"),
      dictionary(.countNeverFalls, "removals are not counted"),
    ]
  }

  private static var weakenings: [Mutant] {
    [
      array(
        "slot-not-published", "the exchange that fills a slot is relaxed",
        .weakening("SlotArray.swift", "append(_:)", .exchange, to: .relaxed)),
      array(
        "generation-not-published", "the exchange of the root is relaxed",
        .weakening("LockFreeWeakArray.swift", "exchangeRoot(_:for:capacity:dropped:)", to: .relaxed)
      ),
      array(
        "root-not-acquired", "the root is loaded relaxed",
        .weakening("LockFreeWeakArray.swift", "current", to: .relaxed)),
      array(
        "freeze-relaxed", "a generation is frozen by a relaxed operation",
        .weakening("SlotArray.swift", "freeze()", to: .relaxed)),
      dictionary(
        "chain-not-published", "the exchange of a bucket's chain is relaxed",
        .weakening("BucketTable.swift", "exchange(_:for:)", to: .relaxed)),
      dictionary(
        "chain-not-acquired", "a bucket is loaded relaxed",
        .weakening("BucketTable.swift", "load()", to: .relaxed)),
      dictionary(
        "table-not-published", "the exchange of the table is relaxed",
        .weakening("LockFreeDictionary+Resizing.swift", "replace(_:)", to: .relaxed)),
      dictionary(
        "signal-not-sequential", "the end of a claim is announced by a relaxed addition",
        .weakening("Waiting.swift", "signal()", to: .relaxed)),
      dictionary(
        "wait-not-sequential", "a waiter announces itself by a relaxed addition",
        .weakening("Waiting.swift", "wait(for:)", to: .relaxed)),
    ]
  }

  private static func array(_ defect: Defect, _ text: String) -> Mutant {
    array(defect.rawValue, text, .defect(defect))
  }

  private static func array(_ name: String, _ text: String, _ planting: Planting) -> Mutant {
    var subject = Subject(name) { domain -> Subject.WeakArray in
      planting.plant()
      return LockFreeWeakArray<Tracked>(domain: domain)
    }
    subject.weakenings = planting.weakenings
    return mutant(subject, text)
  }

  private static func dictionary(_ defect: Defect, _ text: String) -> Mutant {
    dictionary(defect.rawValue, text, .defect(defect))
  }

  private static func dictionary(_ name: String, _ text: String, _ planting: Planting) -> Mutant {
    var subject = Subject(name) { domain -> Subject.Dictionary in
      planting.plant()
      return LockFreeDictionary<StressKey, Tracked>(domain: domain)
    }
    subject.weakenings = planting.weakenings
    return mutant(subject, text)
  }

  private static func mutant(_ subject: Subject, _ text: String) -> Mutant {
    let original = BackendCatalog.subject(of: .lockFree, subject.collection)
    return Mutant(
      subject.name, .structure, text, .stress(subject, original: original, .schedules))
  }
}
