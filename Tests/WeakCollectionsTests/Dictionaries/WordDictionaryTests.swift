import EpochReclamation
import Primitives
import SeededTesting
import Testing
import Threading

@testable import WeakCollections

/// A dictionary of tagged words, whose table is replaced incrementally.
private protocol WordDictionary: SynchronousDictionary, SendableMetatype {
  init(domain: EpochDomain)
  var table: UnsafeMutableRawPointer { get }
  /// The number of keys that fit in the table.
  var slotCount: Int { get }
}

extension LockFreeDictionary: WordDictionary {
  fileprivate var table: UnsafeMutableRawPointer { current.memory }
  fileprivate var slotCount: Int { current.capacity }
}

extension BucketLockDictionary: WordDictionary {
  fileprivate var table: UnsafeMutableRawPointer { current.memory }
  fileprivate var slotCount: Int { current.size * Bucket.slotCount }
}

/// Guarantees of both dictionaries of tagged words for their tables.
@Suite(.timeLimit(.minutes(10))) struct WordDictionaryTests {
  private final class Letter: Hashable, Sendable {
    let number: Int
    private let counted: Counted

    init(_ number: Int, in lifetimes: LifetimeCounter) {
      self.number = number
      counted = Counted(number, in: lifetimes)
    }

    static func == (one: Letter, other: Letter) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test func `the removal of all keys leaves a small table`() async {
    await onOwnThread {
      let lockFree = LockFreeDictionary<Int, Int>(domain: EpochDomain())
      let bucketLock = BucketLockDictionary<Int, Int>(domain: EpochDomain())
      for key in 0..<10_000 {
        lockFree.setValue(key, forKey: key)
        bucketLock.setValue(key, forKey: key)
      }
      lockFree.removeAll()
      bucketLock.removeAll()
      #expect(lockFree.current.capacity <= 64 && lockFree.current.next == nil)
      #expect(bucketLock.current.size <= 64 && bucketLock.current.next == nil)
    }
  }

  @Test func `removed keys and values of classes are released`() async {
    @Sendable func check<D: WordDictionary>(_ type: D.Type)
    where D.Key == Letter, D.Value == Counted {
      let lifetimes = LifetimeCounter()
      let domain = EpochDomain(bagCapacity: 4)
      let dictionary = D(domain: domain)
      for number in 0..<100 {
        dictionary.setValue(Counted(in: lifetimes), forKey: Letter(number, in: lifetimes))
      }
      #expect(lifetimes.live == 200)
      for number in 0..<100 { dictionary.removeValue(forKey: Letter(number, in: lifetimes)) }
      // These writes complete a migration in progress, whose old table still holds references.
      for number in 0..<100 { dictionary.removeValue(forKey: Letter(number, in: lifetimes)) }
      _ = dictionary.snapshot
      // The keys: the library's thread releases them.
      while lifetimes.live > 0 { BackgroundThread.sleep(microseconds: 100) }
    }
    await onOwnThread {
      check(LockFreeDictionary.self)
      check(BucketLockDictionary.self)
    }
  }

  @Test(arguments: [0, 1, 3, 4, 5, 6, 7, 8, 9, 100, 1000])
  func `a dictionary releases its keys and values at its deinit, migrated or not`(count: Int) async
  {
    let lifetimes = LifetimeCounter()
    @Sendable func fill<D: WordDictionary>(_ type: D.Type)
    where D.Key == Letter, D.Value == Counted {
      let dictionary = D(domain: EpochDomain())
      for number in 0..<count {
        dictionary.setValue(Counted(in: lifetimes), forKey: Letter(number, in: lifetimes))
      }
      #expect(dictionary.count == count)
    }
    await onOwnThread {
      fill(LockFreeDictionary.self)
      fill(BucketLockDictionary.self)
    }
    #expect(lifetimes.births == 4 * count && lifetimes.live == 0)
  }

  @Test func `the table shrinks when most keys are removed, but not when one is set again`() {
    func check<D: WordDictionary>(_ dictionary: D) where D.Key == Int, D.Value == Int {
      for key in 0..<50_000 { dictionary.setValue(key, forKey: key) }
      #expect(dictionary.slotCount >= 50_000 && dictionary.slotCount <= 200_000)
      // In random order, so that the removals do not empty adjacent slots one after the other.
      var generator = SeededGenerator(seed: TestOptions.seed)
      for key in (0..<49_990).shuffled(using: &generator) { dictionary.removeValue(forKey: key) }
      for _ in 0..<2000 { dictionary.setValue(1, forKey: 49_995) }
      #expect(dictionary.slotCount <= 1024)
      #expect(dictionary.snapshot.count == 10)
      let small = dictionary.table
      for _ in 0..<1000 {
        dictionary.removeValue(forKey: 49_995)
        dictionary.setValue(1, forKey: 49_995)
      }
      #expect(dictionary.table == small)
    }
    check(LockFreeDictionary<Int, Int>(domain: EpochDomain()))
    check(BucketLockDictionary<Int, Int>(domain: EpochDomain()))
  }

  @Test func `replaced tables are reclaimed as the dictionary grows`() async {
    @Sendable func check<D: WordDictionary>(_ type: D.Type) where D.Key == Int, D.Value == Int {
      let domain = EpochDomain()
      let dictionary = D(domain: domain)
      for key in 0..<100_000 { dictionary.setValue(key, forKey: key) }
      #expect(domain.telemetry.retired > 10)
      #expect(domain.telemetry.backlog <= 1)
    }
    await onOwnThread {
      check(LockFreeDictionary.self)
      check(BucketLockDictionary.self)
    }
  }

  @Test func `repeatedly replaced string keys do not make the table grow`() {
    func check<D: WordDictionary>(_ dictionary: D) where D.Key == String, D.Value == Int {
      for number in 0..<10_000 {
        dictionary.setValue(number, forKey: "\(number)")
        dictionary.removeValue(forKey: "\(number - 3)")
      }
      #expect(dictionary.slotCount <= 64)
      #expect(dictionary.snapshot.count == 3)
    }
    check(LockFreeDictionary<String, Int>(domain: EpochDomain()))
    check(BucketLockDictionary<String, Int>(domain: EpochDomain()))
  }
}

/// Guarantees of the lock-free dictionary beyond the contract.
@Suite(.timeLimit(.minutes(10))) struct LockFreeDictionaryTests {
  @Test
  func `replaced tables are reclaimed as the dictionary grows, and with 100,000 keys all are`()
    async
  {
    await onOwnThread {
      let domain = EpochDomain()
      let dictionary = LockFreeDictionary<Int, Int>(domain: domain)
      for key in 0..<100_000 { dictionary.setValue(key, forKey: key) }
      // Together with the head of the table, 2¹⁷ cells.
      #expect(dictionary.current.capacity == 131_072 - 36)
      #expect(domain.telemetry.retired > 10)
      #expect(domain.telemetry.backlog == 0)
    }
  }

  @Test func `keys chosen to collide do not cause long probes`() {
    let seeds = HashSeeds(addend: 1, factor: 0x9e37_79b9_7f4a_7c15)
    let dictionary = LockFreeDictionary<Int, Int>(
      domain: EpochDomain(), leastCapacity: 4096, seeds: seeds)
    let colliding = (0...).lazy.filter {
      // Keys whose hash selects the first of 1,024 cache lines.
      seeds.mix(HashedKey<Int>($0).hash) >> 54 == 0
    }.prefix(1500)
    for key in colliding { dictionary.setValue(-key, forKey: key) }
    dictionary.finishMigrations()
    let table = dictionary.current
    #expect(table.head.pointee.reseedings > 0)
    var longest = 0
    for key in colliding {
      let hashed = HashedKey<Int>(key)
      longest = max(longest, table.distance(of: table.find(key, hashed).cell, hashed))
    }
    #expect(longest < 64)
    #expect(dictionary.count == 1500)
  }
}

extension LockFreeDictionaryTests {
  @Test func `writers migrate the chunk of a suspended thread`() {
    let dictionary = LockFreeDictionary<Int, Int>(domain: EpochDomain())
    for key in 1...10_000 { dictionary.setValue(key, forKey: key) }
    dictionary.finishMigrations()
    let table = dictionary.current
    var last = 10_000
    while table.next == nil {
      last += 1
      dictionary.setValue(last, forKey: last)
    }
    // Claims a chunk, like a thread that is then suspended.
    _ = table.migration.pointee.begun.wrappingAdd(1, ordering: .relaxed)
    for value in 0..<table.chunkCount + 1100 { dictionary.setValue(value, forKey: last) }
    #expect(dictionary.current != table)
    #expect(dictionary.count == last)
    #expect((1..<last).allSatisfy { dictionary.value(forKey: $0) == $0 })
  }

  @Test(arguments: [1, 2, 63, 64, 65, 128, 129, 1000])
  func `a migration ends with the last chunk, in whichever order they are migrated`(chunks: Int) {
    // One line of cells less than these chunks have. The zero key has a cell in a line of its own.
    let cells = chunks * 128 - Cell.perLine
    let table = CellTable<Int, Int>(capacity: cells, seeds: .random())
    #expect(table.chunkCount == chunks)
    defer { table.deallocate() }
    var generator = SeededGenerator(seed: TestOptions.seed)
    var rest = Set(0..<chunks)
    for chunk in (0..<chunks).shuffled(using: &generator) {
      let unfinished = table.unfinishedChunk(
        from: .random(in: 0..<chunks, using: &generator))
      #expect(unfinished.map(rest.contains) == true)
      rest.remove(chunk)
      #expect(table.noteMigrated(chunk: chunk) == rest.isEmpty)
    }
    #expect(table.unfinishedChunk(from: 0) == nil)
  }

  @Test func `removing keys in the order of the cells leaves no long probes`() {
    let dictionary = LockFreeDictionary<Int, Int>(domain: EpochDomain())
    for key in 1...50_000 { dictionary.setValue(key, forKey: key) }
    let keys = dictionary.pairs.map(\.0)
    for key in keys.prefix(48_000) { dictionary.removeValue(forKey: key) }
    dictionary.finishMigrations()
    let table = dictionary.current
    #expect(table.capacity < 32_000)
    let distances = keys.suffix(2000).map { key in
      let hashed = HashedKey<Int>(key)
      return table.distance(of: table.find(key, hashed).cell, hashed)
    }
    #expect(distances.max()! < 256)
  }
}

/// Guarantees of the dictionary with locked buckets beyond the contract.
@Suite(.timeLimit(.minutes(10))) struct BucketLockDictionaryTests {
  @Test func `removed keys and values of classes are released`() async {
    let lifetimes = LifetimeCounter()
    await onOwnThread {
      let domain = EpochDomain(bagCapacity: 4)
      let dictionary = BucketLockDictionary<String, Counted>(domain: domain)
      for number in 0..<300 {
        dictionary.setValue(Counted(number, in: lifetimes), forKey: "key \(number)")
      }
      #expect(lifetimes.live == 300)
      for number in 0..<100 { dictionary.removeValue(forKey: "key \(number)") }
      for number in 100..<200 { dictionary.update("key \(number)") { $0 = nil } }
      for number in 200..<250 {
        dictionary.setValue(Counted(number, in: lifetimes), forKey: "key \(number)")
      }
      while domain.advance() > 0 {}
      #expect(lifetimes.live == 100)
      dictionary.removeAll()
      while domain.advance() > 0 {}
      #expect(lifetimes.live == 0 && dictionary.count == 0)
    }
  }

  @Test func `the table shrinks incrementally after all keys were removed in one call`() {
    let dictionary = BucketLockDictionary<Int, Int>(domain: EpochDomain(), leastSize: 1)
    for key in 0..<10_000 { dictionary.setValue(key, forKey: key) }
    dictionary.removeAll()
    #expect(dictionary.count == 0 && dictionary.snapshot.isEmpty)
    for _ in 0..<1000 { dictionary.setValue(1, forKey: 1) }
    #expect(dictionary.current.size <= 4)
    #expect(dictionary.snapshot == [1: 1])
  }

  @Test func `repeatedly replaced keys reuse slots`() {
    let numbers = BucketLockDictionary<Int, Int>(domain: EpochDomain())
    for number in 0..<10_000 {
      numbers.setValue(number, forKey: number)
      numbers.removeValue(forKey: number - 3)
    }
    #expect(numbers.current.size == 4)
    #expect(numbers.snapshot.count == 3)
  }

  @Test
  func `while the body of an update waits, others can read, write other keys and grow the table`()
    async
  {
    let dictionary = BucketLockDictionary<Int, Int>(domain: EpochDomain())
    dictionary.setValue(1, forKey: 0)
    await onOwnThread {
      let isInside = Gate()
      let mayEnd = Gate()
      let updater = OwnedThread {
        dictionary.update(0) { value in
          isInside.open()
          mayEnd.wait()
          value = value.map { $0 + 1 }
        }
      }
      isInside.wait()
      let taken = Self.bucket(of: 0, in: dictionary)
      let others = (1...1000).filter { Self.bucket(of: $0, in: dictionary) != taken }
      for key in others { dictionary.setValue(key, forKey: key) }
      #expect(others.allSatisfy { dictionary.value(forKey: $0) == $0 })
      #expect(dictionary.value(forKey: 0) == 1)
      // A writer of the same key waits.
      let waiter = OwnedThread { dictionary.setValue(10, forKey: 0) }
      mayEnd.open()
      updater.join()
      waiter.join()
      #expect(dictionary.value(forKey: 0) == 10)
      #expect(dictionary.snapshot.count == others.count + 1)
      for key in others { dictionary.setValue(-key, forKey: key) }
      #expect(dictionary.current.size >= 256)
    }
  }

  private static func bucket(of key: Int, in dictionary: BucketLockDictionary<Int, Int>) -> Bucket {
    dictionary.current.probe(HashedKey(key)).bucket
  }

  @Test func `eight threads that write to one bucket wait and are woken`() async {
    let dictionary = BucketLockDictionary<Int, Int>(domain: EpochDomain(), leastSize: 1)
    let rounds = TestOptions.operations(full: 20_000)
    await onOwnThread {
      let threads = (0..<8).map { thread in
        OwnedThread {
          for round in 0..<rounds {
            dictionary.update(0) { $0 = ($0 ?? 0) + 1 }
            if round % 16 == thread { dictionary.update(1) { value in value = (value ?? 0) - 1 } }
          }
        }
      }
      for thread in threads { thread.join() }
    }
    #expect(dictionary.value(forKey: 0) == 8 * rounds)
    let turns = (0..<8).map { thread in (0..<rounds).count { $0 % 16 == thread } }
    #expect(dictionary.value(forKey: 1) == -turns.reduce(0, +))
  }
}
