import StressTesting
import WeakCollections

/// What can be wrong with any backend: collections that break one promise of their protocol.
enum ContractMutants {
  static var all: [Mutant] { dictionaries + arrays }

  private static var dictionaries: [Mutant] {
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
      ) { LockedDictionary<StressKey, Tracked, BarrierlessLock<[StressKey: Tracked]>>() },
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

  private static var arrays: [Mutant] {
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
  ) -> Mutant {
    let subject = Subject(name) { _ -> Subject.Dictionary in make() }
    return mutant(subject, text, from: backend, driver, scenario)
  }

  private static func array(
    _ name: String, _ text: String, _ driver: StressDriver = .schedules, scenario: String? = nil,
    _ make: @escaping @Sendable () -> Subject.WeakArray
  ) -> Mutant {
    let subject = Subject(name) { _ -> Subject.WeakArray in make() }
    return mutant(subject, text, from: .mutex, driver, scenario)
  }

  private static func mutant(
    _ subject: Subject, _ text: String, from backend: Backend, _ driver: StressDriver,
    _ scenario: String?
  ) -> Mutant {
    let original = BackendCatalog.subject(of: backend, subject.collection)
    let hunt: Hunt =
      if let scenario {
        .scenario(
          subject, original: original, .trusted(scenario, for: subject.collection))
      } else {
        .stress(subject, original: original, driver)
      }
    return Mutant(subject.name, .contract, text, hunt)
  }
}
