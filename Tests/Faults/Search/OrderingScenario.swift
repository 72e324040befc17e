import EpochReclamation
import Interleaving
import Primitives
import StressTesting
import WeakCollections

/// Programs that find weakened orderings.
///
/// Most of them follow one of two patterns. In the first, one thread unlinks and retires a node,
/// one advances the epoch, and one reads. In the second, one thread writes and one reads; a third
/// reads later, and must not miss the write.
enum OrderingScenario: String, CaseIterable, ScheduledProgram {
  /// Other threads see the tombstone of a removed entry late.
  case arrayRemoval = "array-removal"
  /// Other threads see a new root late.
  case arrayCompaction = "array-compaction"
  /// Other threads see late that a table was replaced.
  case bucketTable = "bucket-table"
  case cellTable = "cell-table"
  /// One thread removes keys that are in nodes, and retires the nodes under the bucket's lock.
  case bucketClear = "bucket-clear"
  /// Two threads insert one key. One of them appends a next table, which the other sees late.
  case lateNextTable = "late-next-table"
  /// A thread sleeps whose pins are asymmetric, so that no pin makes its stores visible.
  case asymmetricSleepers = "asymmetric-sleepers"
  /// The bodies of two updates set nothing, so that only the lock orders them.
  case lockedBodies = "locked-bodies"
  /// One thread replaces a boxed value.
  case boxedValues = "boxed-values"
  /// One thread replaces an inline value with a boxed one.
  case boxedNumbers = "boxed-numbers"
  /// Other threads see late that a boxed value was replaced.
  case cellValue = "cell-value"
  /// One thread inserts a key into an empty lock-free dictionary.
  case cellReads = "cell-reads"
  /// One thread replaces the value of a bucket, and another inserts a key into the bucket.
  case bucketReads = "bucket-reads"
  /// Two threads migrate one group of a table each. One of them then replaces a value in the other
  /// group.
  case bucketGroups = "bucket-groups"
  /// One thread migrates the last chunk, while another looks for an unfinished one.
  case unfinishedChunk = "unfinished-chunk"

  var strategies: [Exploration.Strategy] { [.randomWalk, .probabilisticConcurrency(depth: 3)] }
}

extension OrderingScenario {
  func run(in execution: Execution) {
    let domain = EpochDomain(
      pinning: self == .asymmetricSleepers ? .asymmetric(afterPins: 0) : .exchanging,
      bagCapacity: 1, reportStall: { _ in })
    switch self {
    case .arrayRemoval: Self.removeEntry(in: domain, execution)
    case .arrayCompaction: Self.compactArray(in: domain, execution)
    case .bucketTable: Self.replaceBucketTable(in: domain, execution)
    case .cellTable: Self.replaceCellTable(in: domain, execution)
    case .bucketClear: Self.clearBucket(in: domain, execution)
    case .lateNextTable: Self.appendTable(in: domain, execution)
    case .asymmetricSleepers: Self.sleep(in: domain, execution)
    case .lockedBodies: Self.runLockedBodies(in: domain, execution)
    case .boxedValues:
      Self.replace(Pair(number: 0), with: Pair(number: 1), in: domain, execution)
    case .boxedNumbers:
      // These upper bits make a number boxed: see `ValueWord.escape`.
      Self.replace(0 as UInt, with: 0x8001 << 48, in: domain, execution)
    case .cellValue: Self.replaceCellValue(in: domain, execution)
    case .cellReads: Self.readCell(in: domain, execution)
    case .bucketReads: Self.readBucket(in: domain, execution)
    case .bucketGroups: Self.migrateGroups(in: domain, execution)
    case .unfinishedChunk: Self.migrateLastChunk(in: domain, execution)
    }
  }

  // MARK: Unlinking

  private static func removeEntry(in domain: EpochDomain, _ execution: Execution) {
    let array = LockFreeWeakArray<Element>(domain: domain)
    let element = Element()
    array.append(element)
    runThreads(execution, domain) {
      array.remove(element)
    } reading: {
      _ = array.all
    }
    withExtendedLifetime(element) {}
  }

  private static func compactArray(in domain: EpochDomain, _ execution: Execution) {
    let array = LockFreeWeakArray<Element>(domain: domain)
    let element = Element()
    array.append(element)
    runThreads(execution, domain) {
      array.compact()
    } reading: {
      _ = array.all
    }
    withExtendedLifetime(element) {}
  }

  private static func replaceBucketTable(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = BucketLockDictionary<Int, Int>(domain: domain, leastSize: 1)
    // The fourth key appends the next table; the unlinking thread migrates the keys.
    for key in 1...4 { dictionary.setValue(key, forKey: key) }
    runThreads(execution, domain) {
      dictionary.setValue(9, forKey: 1)
    } reading: {
      _ = dictionary.value(forKey: 1)
    }
  }

  private static func replaceCellTable(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = LockFreeDictionary<Int, Int>(domain: domain, leastCapacity: 2)
    // The second key appends the next table, and the third write migrates the first of two chunks.
    for key in [1, 2, 2] { dictionary.setValue(key, forKey: key) }
    runThreads(execution, domain) {
      dictionary.setValue(9, forKey: 1)
    } reading: {
      _ = dictionary.value(forKey: 1)
    }
  }

  private static func clearBucket(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = BucketLockDictionary<StressKey, Int>(domain: domain, leastSize: 1)
    dictionary.setValue(1, forKey: StressKey(0))
    runThreads(execution, domain) {
      dictionary.removeAll()
    } reading: {
      _ = dictionary.value(forKey: StressKey(0))
    }
  }

  private static func replaceCellValue(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = LockFreeDictionary<Int, Pair>(domain: domain)
    dictionary.setValue(Pair(number: 0), forKey: 1)
    runThreads(execution, domain) {
      dictionary.setValue(Pair(number: 1), forKey: 1)
    } reading: {
      _ = dictionary.value(forKey: 1)
    }
  }

  /// Runs the three threads of the first pattern.
  ///
  /// A weakened unlinking fails in this schedule: the epoch advances once before the unlinking is
  /// visible, then the reader pins, and the epoch advances once more while it reads.
  private static func runThreads(
    _ execution: Execution, _ domain: EpochDomain, unlinking unlink: @escaping () -> Void,
    reading read: @escaping () -> Void
  ) {
    execution.thread("unlinker") {
      unlink()
      domain.advance()
    }
    execution.thread("advancer") { domain.advance() }
    execution.thread("reader") { read() }
    execution.runThreads()
  }

  // MARK: Reading

  private static func readCell(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = LockFreeDictionary<Int, Int>(domain: domain)
    runThreads(execution) {
      dictionary.setValue(1, forKey: 1)
    } reading: {
      dictionary.value(forKey: 1) != nil
    }
  }

  private static func readBucket(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = BucketLockDictionary<Int, Int>(domain: domain, leastSize: 1)
    dictionary.setValue(0, forKey: 1)
    execution.thread("inserter") { dictionary.setValue(0, forKey: 2) }
    runThreads(execution) {
      dictionary.setValue(1, forKey: 1)
    } reading: {
      dictionary.value(forKey: 1) == 1
    }
  }

  /// Runs the three threads of the second pattern.
  ///
  /// The last reader sets a flag and then reads. It must not miss the write if the writer ended, or
  /// the other reader saw the write, before the flag was set: all three are sequentially
  /// consistent. (The litmus tests are called *store buffering* and *read-to-write causality*.)
  private static func runThreads(
    _ execution: Execution, writing write: @escaping () -> Void,
    reading seesWrite: @escaping () -> Bool
  ) {
    let flag = Atomic(0)
    var isBeforeFlag = false
    var isMissed = false
    execution.thread("writer") {
      write()
      if flag.load(ordering: .sequentiallyConsistent) == 0 { isBeforeFlag = true }
    }
    execution.thread("reader") {
      let isSeen = seesWrite()
      if flag.load(ordering: .sequentiallyConsistent) == 0 && isSeen { isBeforeFlag = true }
    }
    execution.thread("last reader") {
      flag.store(1, ordering: .sequentiallyConsistent)
      isMissed = !seesWrite()
    }
    execution.runThreads()
    execution.require(!(isBeforeFlag && isMissed), "a read misses an earlier write")
  }

  // MARK: Migrating

  private static func migrateGroups(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = BucketLockDictionary<Int, Int>(domain: domain, leastSize: 1)
    // The fourth key other than zero appends the next table. The zero key has a group of its own.
    for key in 0...4 { dictionary.setValue(key, forKey: key) }
    for key in [0, 2] {
      execution.thread("writer of \(key)") { dictionary.setValue(9, forKey: key) }
    }
    execution.runThreads()
    execution.require(dictionary.count == 5, "\(dictionary.count) keys are counted, not 5")
  }

  private static func migrateLastChunk(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = LockFreeDictionary<Int, Int>(domain: domain, leastCapacity: 2)
    // The second key other than zero appends the next table, and the next write migrates the first
    // of two chunks. The second chunk has only the zero key, so that few steps migrate it.
    for key in [0, 1, 2, 2] { dictionary.setValue(key, forKey: key) }
    execution.thread("migrator") { dictionary.setValue(9, forKey: 1) }
    execution.thread("helper") {
      for _ in 0..<2 { dictionary.setValue(9, forKey: 2) }
      execution.require(dictionary.value(forKey: 0) == 0, "a read misses a migrated key")
    }
    execution.runThreads()
  }

  // MARK: Inserting

  /// Stops both insertions: the first one until the second one has appended a table and found that
  /// the key is not in the old table, the second one until the first one is done.
  private static func appendTable(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = LockFreeDictionary<StoppedKey, Int>(domain: domain, leastCapacity: 2)
    var isAppended = false
    var isInserted = false
    // A key is compared with itself before the insertion, and again when it claims its cell.
    var (firstCount, secondCount) = (0, 0)
    execution.thread("first") {
      let key = StoppedKey {
        firstCount += 1
        while firstCount > 1 && !isAppended { spinHint() }
      }
      dictionary.setValue(1, forKey: key)
      isInserted = true
    }
    execution.thread("second") {
      let key = StoppedKey {
        secondCount += 1
        if secondCount == 1 { return }
        isAppended = true
        while !isInserted { spinHint() }
      }
      dictionary.setValue(2, forKey: key)
    }
    execution.runThreads()
    execution.require(dictionary.count == 1, "one key is counted \(dictionary.count) times")
  }

  // MARK: Locking

  private static func sleep(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = BucketLockDictionary<Int, Int>(domain: domain, leastSize: 1)
    execution.thread("holder") {
      dictionary.update(1) { value in
        execution.pause()
        value = 1
      }
    }
    execution.thread("sleeper") { dictionary.setValue(2, forKey: 1) }
    execution.runThreads()
  }

  private static func runLockedBodies(in domain: EpochDomain, _ execution: Execution) {
    let dictionary = BucketLockDictionary<Int, Int>(domain: domain, leastSize: 1)
    let count = NodeMemory.allocate(Int.self)
    count.writing().initialize(to: 0)
    for name in ["one", "other"] {
      execution.thread(name) {
        dictionary.update(1) { _ in count.writing().pointee += 1 }
      }
    }
    execution.runThreads()
    execution.require(count.reading().pointee == 2, "two bodies ran concurrently")
    NodeMemory.deallocate(count)
  }

  // MARK: Publishing

  private static func replace<Value: Sendable>(
    _ old: Value, with new: Value, in domain: EpochDomain, _ execution: Execution
  ) {
    let dictionary = BucketLockDictionary<Int, Value>(domain: domain, leastSize: 1)
    dictionary.setValue(old, forKey: 1)
    execution.thread("writer") { dictionary.setValue(new, forKey: 1) }
    execution.thread("reader") { _ = dictionary.value(forKey: 1) }
    execution.runThreads()
  }
}

private final class Element: Sendable {}

/// A key that can stop its insertion: a lock-free dictionary compares the key with itself between
/// the reservation of a cell and the compare-exchange of the cell's key.
private struct StoppedKey: Hashable {
  let stop: () -> Void

  static func == (one: StoppedKey, other: StoppedKey) -> Bool {
    one.stop()
    return true
  }

  func hash(into hasher: inout Hasher) {}

  // The same in every process, so that schedules can be replayed.
  func _rawHashValue(seed: Int) -> Int { 0 }
}

/// Too large for a word.
private struct Pair {
  var number: Int
  var other = 0
}
