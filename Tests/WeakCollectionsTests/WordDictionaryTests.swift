import EpochReclamation
import Primitives
import SeededTesting
import Testing
import Threading
@testable import WeakCollections

/// A dictionary of words in tables that are replaced step by step.
private protocol WordDictionary: SynchronousDictionary, SendableMetatype {
  init(domain: EpochDomain)
  var table: UnsafeMutableRawPointer { get }
  /// For how many keys the table has places.
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

/// What both dictionaries of words promise of their tables.
@Suite(.timeLimit(.minutes(10))) struct WordDictionaryTests {
  private final class Letter: Hashable, Sendable {
    let number: Int
    private let counted: Counted

    init(_ number: Int, in census: Census) {
      self.number = number
      counted = Counted(number, in: census)
    }

    static func == (one: Letter, other: Letter) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test func `keys and values of classes are let go when they are removed`() async {
    @Sendable func check<D: WordDictionary>(_ type: D.Type)
    where D.Key == Letter, D.Value == Counted {
      let census = Census()
      let domain = EpochDomain(bagCapacity: 4)
      let dictionary = D(domain: domain)
      for number in 0..<100 {
        dictionary.setValue(Counted(in: census), forKey: Letter(number, in: census))
      }
      #expect(census.live == 200)
      for number in 0..<100 { dictionary.removeValue(forKey: Letter(number, in: census)) }
      // What a replacement under way holds goes with its end.
      for number in 0..<100 { dictionary.removeValue(forKey: Letter(number, in: census)) }
      _ = dictionary.snapshot
      while domain.advance() > 0 {}
      #expect(census.live == 0)
    }
    await onOwnThread {
      check(LockFreeDictionary.self)
      check(BucketLockDictionary.self)
    }
  }

  @Test(arguments: [0, 1, 3, 4, 5, 6, 7, 8, 9, 100, 1000])
  func `a dictionary gives up its keys and values, moved or not, at its end`(count: Int) async {
    let census = Census()
    @Sendable func fill<D: WordDictionary>(_ type: D.Type)
    where D.Key == Letter, D.Value == Counted {
      let dictionary = D(domain: EpochDomain())
      for number in 0..<count {
        dictionary.setValue(Counted(in: census), forKey: Letter(number, in: census))
      }
      #expect(dictionary.count == count)
    }
    await onOwnThread {
      fill(LockFreeDictionary.self)
      fill(BucketLockDictionary.self)
    }
    #expect(census.births == 4 * count && census.live == 0)
  }

  @Test func `the table shrinks when most keys are removed, and does not when keys come and go`() {
    func check<D: WordDictionary>(_ dictionary: D) where D.Key == Int, D.Value == Int {
      for key in 0..<50_000 { dictionary.setValue(key, forKey: key) }
      #expect(dictionary.slotCount >= 50_000 && dictionary.slotCount <= 200_000)
      // In no order: places in a row would be emptied one after the other.
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

  @Test func `tables that were replaced are given back as it grows`() async {
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

  @Test func `new strings as keys again and again do not make the table grow`() {
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

  @Test func `readers find every key with its value while others make the table grow and shrink`()
    async
  {
    @Sendable func check<D: WordDictionary & Sendable>(_ dictionary: D)
    where D.Key == Int, D.Value == Int {
      let kept = 0..<100
      for key in kept { dictionary.setValue(key, forKey: key) }
      let isDone = Atomic<Bool>(false)
      let misses = Atomic<Int>(0)
      let readers = (0..<2).map { _ in
        OwnedThread {
          // Relaxed, here and below: a flag and a count, through which nothing else is read.
          while !isDone.load(ordering: .relaxed) {
            let values = dictionary.values(forKeys: Array(0..<4100))
            for key in 0..<4100 where values[key] != key && (key < 100 || values[key] != nil) {
              misses.wrappingAdd(1, ordering: .relaxed)
            }
            let all = dictionary.snapshot
            for key in kept where all[key] != key || dictionary.value(forKey: key) != key {
              misses.wrappingAdd(1, ordering: .relaxed)
            }
          }
        }
      }
      let writers = (1...2).map { writer in
        OwnedThread {
          for _ in 0..<max(2, TestOptions.operations(standard: 40_000) / 2000) {
            let mine = (0..<2000).map { 100 + 2 * $0 + writer % 2 }
            for key in mine { dictionary.setValue(key, forKey: key) }
            for key in mine where dictionary.removeValue(forKey: key) != key {
              misses.wrappingAdd(1, ordering: .relaxed)
            }
          }
        }
      }
      for thread in writers { thread.join() }
      isDone.store(true, ordering: .relaxed)
      for thread in readers { thread.join() }
      #expect(misses.load(ordering: .relaxed) == 0)
      #expect(dictionary.count == 100)
    }
    await onOwnThread {
      check(LockFreeDictionary<Int, Int>(domain: EpochDomain()))
      check(BucketLockDictionary<Int, Int>(domain: EpochDomain()))
    }
  }
}
