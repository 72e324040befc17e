import EpochReclamation
import Interleaving
import WeakCollections

/// Programs that use all keys of a dictionary while its table is replaced.
///
/// The keys are inserted before the threads start, so that no schedule is spent on that.
enum MigrationScenario: String, CaseIterable, ScheduledProgram {
  /// A thread takes a snapshot, and two others insert keys. The next table is full before the last
  /// present key is migrated, so that this key is migrated to the table behind it.
  case snapshot
  /// A thread removes all keys, and another migrates two buckets to a single one. A third inserts a
  /// removed key again.
  case removal
  /// A thread removes all keys, a second updates one of them, and a third inserts keys, so that the
  /// table behind is full and the last one migrates the rest.
  case clearing

  /// Each failure needs two preemptions, with long runs between them.
  var strategies: [Exploration.Strategy] { [.probabilisticConcurrency(depth: 3)] }
}

extension MigrationScenario {
  func run(in execution: Execution) {
    let domain = EpochDomain(bagCapacity: 1, reportStall: { _ in })
    switch self {
    case .snapshot: Self.takeSnapshot(in: domain, execution)
    case .removal: Self.removeAll(in: domain, execution)
    case .clearing: Self.clear(in: domain, execution)
    }
  }

  private static func takeSnapshot(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = LockFreeDictionary<Int, Int>(domain: domain, leastCapacity: 2)
    // The table has four cells, of which three may get a key. The third one stays occupied.
    for key in 1...3 { dictionary.setValue(key, forKey: key) }
    dictionary.removeValue(forKey: 3)
    execution.thread("reader") {
      let keys = Set(dictionary.snapshot.keys)
      execution.require(
        keys.isSuperset(of: [1, 2]), "a snapshot has only the keys \(keys.sorted())")
    }
    execution.thread("writer") { for key in 4...5 { dictionary.setValue(key, forKey: key) } }
    execution.thread("other writer") { dictionary.setValue(6, forKey: 6) }
    execution.runThreads()
  }

  private static func removeAll(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = BucketLockDictionary<Int, Int>(domain: domain, leastSize: 1)
    // The fourth key appends a table with two buckets, and the fifth write migrates the keys. The
    // last removal appends a table with one bucket.
    for key in [1, 2, 3, 4, 1] { dictionary.setValue(key, forKey: key) }
    for key in 1...4 { dictionary.removeValue(forKey: key) }
    var isSet = false
    var isSetAgain = false
    execution.thread("writer") { dictionary.setValue(1, forKey: 1) }
    execution.thread("remover") {
      dictionary.setValue(1, forKey: 2)
      isSet = true
      dictionary.removeAll()
    }
    execution.thread("inserter") {
      // If the key has been removed, no second removal follows.
      if isSet { isSetAgain = dictionary.value(forKey: 2) { 2 } == 2 }
    }
    execution.runThreads()
    execution.require(
      !isSetAgain || dictionary.value(forKey: 2) == 2, "a removal of all keys removes one twice")
  }

  private static func clear(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = LockFreeDictionary<Int, Int>(domain: domain, leastCapacity: 2)
    for key in 1...3 { dictionary.setValue(key, forKey: key) }
    var remaining: Set<Int> = []
    execution.thread("remover") {
      dictionary.removeAll()
      remaining = Set(dictionary.snapshot.keys)
    }
    execution.thread("updater") { dictionary.update(2) { if $0 != nil { $0 = 20 } } }
    execution.thread("inserter") { for key in 4...6 { dictionary.setValue(key, forKey: key) } }
    execution.runThreads()
    execution.require(
      remaining.isDisjoint(with: [1, 2, 3]),
      "a removal of all keys leaves \(remaining.intersection([1, 2, 3]).sorted())")
  }
}
