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
      array(.closingIgnored, "p0,k/p1,a", "a directory that is closed is appended to"),
      array(
        .targetNotLookedAtAgain, "p0,r0/r0,e",
        "a removal is decided for an entry that an earlier one may have taken"),
      array(
        .removalNotDone, "p0,p1,r0/e,a", "the state goes on before a removed entry is a tombstone"),
      array(.noSecondLook, "p0,a/p1,r0", "a snapshot does not look whether the array changed"),
      array(
        .removedKept, "p0,a/p1,r0,p2", "a snapshot that goes on keeps what was removed meanwhile"),
      array(
        .survivorsNotHeld, "p0,p0,d0/k,e",
        "a compaction does not keep the living alive until it takes effect"),
      array(
        .loserGoesOn, "p0,k/p1,k", "who does not get to replace a directory goes on as if it had"),
      array(.segmentFreedAtOnce, "p0,k/a", "a segment that was replaced is given back at once"),
      array(.retiredByHelpers, "p0,r0/p1", "everyone who helps a removal retires its entry"),
      array(.entryFreedAtOnce, "p0,r0/a", "an entry that was removed is given back at once"),
      array(.droppedNotRetired, "p0,d0,k", "entries that a new directory leaves out are forgotten"),
      array(.survivorForgotten, "p0,k,a", "a segment is copied without its last survivor"),
    ]
  }

  private static var dictionaries: [Mutant] {
    [
      dictionary(
        .missNotPursued, "s0-0,s1-1,g1/s2-2,s3-3",
        "a read that does not find its key does not look in the next table"),
      dictionary(
        .nextOverlooked, growth, "a write into an untouched cell does not look for a next table"),
      dictionary(
        .scanBeforeNext, "s0-0/s0-1/s0-2",
        "a write looks for a next table after it looked for its key"),
      dictionary(
        .staleMove, "s0-0,s1-1,r0,g0/s2-2,r1,s3-3",
        "a mover does not look whether its cell was moved meanwhile"),
      dictionary(.chunkDoneTooSoon, growth, "a chunk is counted as moved before it is"),
      dictionary(
        .tableFreedAtOnce, "s0-0,s1-1,s2-2/g0", "a table that was replaced is given back at once"),
      dictionary(
        .keyNodeFreedAtOnce, "s0-0,r0/g0", "the node of a removed key is given back at once"),
      dictionary(.claimIgnored, "u0-0/s0-1", "setValue writes a key whose update is running"),
      dictionary(.bodyRunsTwice, "u0-0", "update runs its body twice"),
      dictionary(
        .loserKept, "i0-0/i0-1", "get-or-insert does not give up the value that it did not insert"),
      dictionary(
        .lostWakeUp, "u0-0/u0-1", "who waits for a claim's end reads its ticket after it has looked"
      ),
      dictionary(
        .countedTooLate, "s0-0/s1-1/a", "a key is counted after it has got its value"),
      dictionary(.countNeverFalls, "s0-0,r0,n", "removals are not counted"),
    ]
  }

  private static var weakenings: [Mutant] {
    [
      array(
        "slot-not-published", "p0/a", "the exchange that fills a slot is relaxed",
        .weakening(
          "LockFreeWeakArray.swift", "claim(_:in:at:promoted:)", .exchange, to: .relaxed)),
      array(
        "segments-not-published", "p0,k/a", "the exchange of the root is relaxed",
        .weakening("LockFreeWeakArray.swift", "exchangeRoot(_:for:)", to: .relaxed)),
      array(
        "successor-not-published", "p0,k/p1,k",
        "the exchange that agrees on a successor is relaxed",
        .weakening("SlotDirectory.swift", "agree(on:)", to: .relaxed)),
      array(
        "root-not-acquired", "p0,k/a", "the root is loaded relaxed",
        .weakening("LockFreeWeakArray.swift", "current", to: .relaxed)),
      dictionary(
        "key-not-published", "s0-0/g0", "the exchange that gives a cell its key is relaxed",
        .weakening("CellTable.swift", "exchangeKey(_:for:)", to: .relaxed)),
      dictionary(
        "key-not-acquired", "s0-0/g0", "the key of a cell is loaded relaxed",
        .weakening("CellTable.swift", "key", to: .relaxed)),
      dictionary(
        "value-not-published", "u0-0/g0", "the exchange of a value word is relaxed",
        .weakening("CellTable.swift", "exchangeValue(_:for:)", to: .relaxed)),
      dictionary(
        "table-not-published", growth, "the exchange of the next table is relaxed",
        .weakening("CellTable.swift", "append(_:)", to: .relaxed)),
      dictionary(
        "table-not-acquired", growth, "the next table is loaded relaxed",
        .weakening("CellTable.swift", "next", to: .relaxed)),
    ]
  }

  private static var equivalents: [Mutant] {
    [
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

  /// Two threads write as many keys as make the table grow, and read meanwhile.
  private static let growth = "s0-0,s1-1,s2-2/s3-3,g3,s1-4,g1"

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
      return LockFreeDictionary<StressKey, Tracked>(domain: domain, leastCapacity: 2)
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
