import StressTesting
import WeakCollections

/// Faults that any backend could have: whole collections that each break one promise of their
/// protocol.
///
/// There is no product code to patch. Most are copies of code that was published for this purpose.
enum BrokenCollections {
  // Made anew each time: a constant would hold its parts by tagged pointers, which no leak detector
  // follows.
  static var all: [BrokenCollection] { dictionaries + arrays }

  private static var dictionaries: [BrokenCollection] {
    [
      dictionary(
        "published-check-then-act", "get-or-insert looks in one step and sets in another"
      ) { CheckThenActDictionary() },
      dictionary(
        "loser-keeps-its-own", "who loses a get-or-insert returns the value that it had made"
      ) { LoserKeepsItsOwnDictionary() },
      dictionary(
        "actor-reentrancy", "an actor's get-or-insert suspends between look and act",
        from: .actor, .threads
      ) { ReentrantActorDictionary() },
      dictionary(
        "barrier-left-out", "writers run beside readers and each other", from: .barrierQueue
      ) { LockedDictionary<StressKey, StressObject, BarrierlessLock<[StressKey: StressObject]>>() },
      dictionary("torn-update", "update reads, runs its body and writes in three steps") {
        TornUpdateDictionary()
      },
      dictionary("value-removed-twice", "removeValue reads in one step and removes in another") {
        TwiceRemovingDictionary()
      },
      dictionary("remove-all-forgets-one", "removeAll leaves the last key") {
        ForgetfulDictionary()
      },
      dictionary("highest-count", "count never falls") { NeverFallingCountDictionary() },
      dictionary("stale-snapshot", "a snapshot is given out again while count stays the same") {
        StaleSnapshotDictionary()
      },
      dictionary(
        "deinit-under-lock", "a replaced value dies inside the lock", scenario: "s0-0+,s0-1"
      ) { DeinitUnderLockDictionary() },
      dictionary("for-each-under-lock", "the body of forEach runs inside the lock") {
        VisitUnderLockDictionary()
      },
    ]
  }

  private static var arrays: [BrokenCollection] {
    [
      array("never-compacting", "the published array: entries of dead elements stay", .threads) {
        NeverCompactingWeakArray()
      },
      array(
        "published-append", "append is a pending block, which keeps its element alive", .threads
      ) { PendingAppendWeakArray() },
      array("append-lost-in-growth", "growing copies the entries outside the lock") {
        AppendLosingWeakArray()
      },
      array("removal-lost-in-compaction", "compaction copies the entries outside the lock") {
        RemovalLosingWeakArray()
      },
      array("append-number-read-late", "append's number is read in a step of its own") {
        LateNumberWeakArray()
      },
      array(
        "entry-removed-twice", "remove looks in one step and removes in another",
        scenario: "p0,r0/r0"
      ) { TwiceRemovingWeakArray() },
      array("swap-remove", "the last entry fills the hole: a snapshot is out of order", .threads) {
        SwapRemovingWeakArray()
      },
      array(
        "latest-removed", "the latest entry is removed, not the earliest", scenario: "p0,p1,p0,r0"
      ) { LatestRemovingWeakArray() },
      array("duplicate-lost", "an element that is there is not appended again") {
        DuplicateLosingWeakArray()
      },
      array("snapshot-kept", "the last snapshot is cached, and keeps its elements alive") {
        SnapshotKeepingWeakArray()
      },
      array("tail-kept", "the element appended last is held until another comes") {
        TailKeepingWeakArray()
      },
      array("dead-counted", "count is that of the entries, dead ones included") {
        EntryCountingWeakArray()
      },
      array("visit-under-lock", "the body of forEach runs inside the lock") {
        VisitUnderLockWeakArray()
      },
    ]
  }

  private static func dictionary(
    _ name: String, _ text: String, from backend: Backend = .mutex,
    _ driver: StressDriver = .schedules, scenario: String? = nil,
    _ make: @escaping @Sendable () -> Subject.Dictionary
  ) -> BrokenCollection {
    BrokenCollection(
      subject: Subject(name) { _ -> Subject.Dictionary in make() }, text: text,
      original: backend.rawValue, search: scenario ?? driver.rawValue)
  }

  private static func array(
    _ name: String, _ text: String, _ driver: StressDriver = .schedules, scenario: String? = nil,
    _ make: @escaping @Sendable () -> Subject.WeakArray
  ) -> BrokenCollection {
    BrokenCollection(
      subject: Subject(name) { _ -> Subject.WeakArray in make() }, text: text,
      original: Backend.mutex.rawValue, search: scenario ?? driver.rawValue)
  }
}

/// A collection that breaks one promise of its protocol.
struct BrokenCollection: Sendable {
  let subject: Subject
  /// What is broken, in one line.
  let text: String
  /// The backend that it was made from, in which the same search must find nothing.
  let original: String
  /// A scenario, or the driver of random ones.
  let search: String

  /// As `search list` prints it.
  var line: String {
    let collection = subject.collection.rawValue
    return [
      subject.name, text, collection, "\(subject.name) \(collection) \(search)",
      "\(original) \(collection) \(search)",
    ].joined(separator: "\t")
  }
}
