import EpochReclamation
import Primitives
import SeededTesting
import Testing
import Threading

@testable import WeakCollections

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An object that is equal to other objects with its name.
final class Symbol: Hashable, Sendable {
  let name: Int
  init(_ name: Int) { self.name = name }
  static func == (one: Symbol, other: Symbol) -> Bool { one.name == other.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The sequential weak sets.
@Suite struct WeakSetTests {
  @Test func `an element is in the set once, while it is alive`() {
    var set = WeakSet<Symbol>()
    var symbol: Symbol? = Symbol(1)
    #expect(set.insert(symbol!).inserted)
    #expect(set.insert(symbol!).inserted == false)
    #expect(set.contains(symbol!))
    #expect(set.count == 1)
    #expect(set.all.map(\.name) == [1])
    symbol = nil
    #expect(set.all.isEmpty)
    #expect(set.isEmpty)
    #expect(set.entryCount == 1)
    #expect(set.compact() == 1)
    #expect(set.entryCount == 0)
  }

  @Test func `0.l two equal objects are two elements by identity, and one by equality`() {
    let (one, other) = (Symbol(1), Symbol(1))
    let identical: WeakSet = [one, other]
    #expect(identical.count == 2)
    var equal: WeakEqualitySet = [one, other]
    #expect(equal.count == 1)
    #expect(equal.contains(other))
    #expect(equal.insert(other).memberAfterInsert === one)
    #expect(equal.remove(other) == true)
    #expect(equal.remove(one) == false)
    #expect(equal.isEmpty)
    withExtendedLifetime((one, other)) {}
  }

  @Test func `a dead element is equal to no element, and an equal one can replace it`() {
    var interner = WeakEqualitySet<Symbol>()
    var first: Symbol? = interner.insert(Symbol(7)).memberAfterInsert
    let again = interner.insert(Symbol(7)).memberAfterInsert
    #expect(again === first)
    #expect(again.name == 7)
    first = nil
    _ = consume again
    #expect(interner.contains(Symbol(7)) == false)
    let (inserted, member, _) = interner.insert(Symbol(7))
    #expect(inserted)
    #expect(interner.all.count == 1)
    withExtendedLifetime(member) {}
  }

  @Test func `a loop visits the live elements and keeps them alive meanwhile`() {
    let lifetimes = LifetimeCounter()
    var elements = (0..<20).map { Counted($0, in: lifetimes) }
    let set = WeakSet(elements)
    elements.removeLast(10)
    var visited: Set<Int> = []
    for element in set {
      elements = []
      #expect(lifetimes.live == 10)
      visited.insert(element.number)
    }
    #expect(visited == Set(0..<10))
    #expect(lifetimes.live == 0)
  }

  @Test func `a copy is an independent set`() {
    let elements = (0..<10).map { Symbol($0) }
    var one = WeakSet(elements)
    let other = one
    one.remove(elements[3])
    #expect(one.count == 9)
    #expect(other.count == 10)
  }

  @Test func `protocol values are distinguished by the identity of their object`() {
    let people = ["Ada", "Bob"].map { Person($0) }
    var set = WeakSet<any Named & Aged>(people)
    #expect(set.insert(people[0]).inserted == false)
    #expect(set.all.map(\.name).sorted() == ["Ada", "Bob"])
    #expect(set.remove(people[1]) == true)
    #expect(set.all.map(\.age) == [41])
    withExtendedLifetime(people) {}
  }

  @Test func `large instances with reused addresses are not confused with dead ones`() {
    var set = WeakSet<Large>()
    for _ in 0..<1000 {
      let large = Large()
      #expect(set.contains(large) == false)
      #expect(set.insert(large).inserted)
      #expect(set.count == 1)
    }
  }

  private final class Large {
    let words = (SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>())
  }

  /// No write accesses the dead entries, so only the sweep finds them.
  @Test(arguments: [1, 10, 100, 1000, 5000])
  func `dead entries are removed after at most one more write than entries`(_ dead: Int) {
    let lifetimes = LifetimeCounter()
    let kept = (0..<500).map { Counted($0, in: lifetimes) }
    var set = WeakSet(kept)
    var dying = (0..<dead).map { Counted($0, in: lifetimes) }
    for element in dying { set.insert(element) }
    set.remove(kept[0])
    dying = []
    let most = set.entryCount
    var writes = 0
    while set.entryCount > 499 {
      set.insert(kept[1 + writes % 499])
      writes += 1
    }
    #expect(writes <= most + 1)
    #expect(set.count == 499)
  }

  @Test func `there are at most twice as many entries as live elements, plus 64`() {
    let kept = (0..<100).map { Symbol($0) }
    var set = WeakSet(kept)
    for number in 0..<5000 {
      set.insert(Symbol(number))
      #expect(set.entryCount <= 2 * (kept.count + 1) + 64)
    }
    #expect(set.count == 100)
  }

  @Test(arguments: 0..<20)
  func `a set by identity behaves like a model`(_ round: Int) {
    check(round, WeakSet<Symbol>()) { $0 === $1 }
  }

  @Test(arguments: 0..<20)
  func `a set by equality behaves like a model`(_ round: Int) {
    check(round, WeakEqualitySet<Symbol>()) { $0 == $1 }
  }

  /// Executes random operations on a set, and on a model with strong references to live objects.
  private func check<Keying: WeakKeying<Symbol>>(
    _ round: Int, _ empty: KeyedWeakSet<Keying>, areSame: (Symbol, Symbol) -> Bool
  ) {
    var generator = SeededGenerator(seed: TestOptions.seed &+ UInt64(round))
    var set = empty
    var members: [Symbol] = []
    var pool = (0..<40).map { Symbol($0 / 2) }
    for _ in 0..<2000 {
      let place = Int.random(in: pool.indices, using: &generator)
      let symbol = pool[place]
      let index = members.firstIndex { areSame($0, symbol) }
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<5:
        let (inserted, member, _) = set.insert(symbol)
        #expect(inserted == (index == nil))
        if inserted { members.append(symbol) }
        #expect(member === members[index ?? members.count - 1])
      case 5..<7:
        #expect(set.remove(symbol) == (index != nil))
        if let index { members.remove(at: index) }
      case 7..<9: #expect(set.contains(symbol) == (index != nil))
      case 9..<11:  // An object dies, in the set or not: no other reference is left.
        members.removeAll { $0 === symbol }
        pool[place] = Symbol(Int.random(in: 0..<20, using: &generator))
      default:
        if Int.random(in: 0..<20, using: &generator) == 0 { set.compact() }
        #expect(Set(set.all.map(ObjectIdentifier.init)) == Set(members.map(ObjectIdentifier.init)))
      }
    }
    set.removeAll()
    #expect(set.isEmpty && set.entryCount == 0)
  }
}

/// Guarantees of every weak set for partial compaction and for the lifetimes of its objects.
@Suite(.timeLimit(.minutes(10))) struct WeakSetSweepingTests {
  static let backends = Backend.supporting(.weakSet)

  /// So many entries that no insertion purges the set, and that the sweeps of the insertions do not
  /// reach all of them.
  private static let count = 400

  @Test(arguments: backends)
  func `compact of one stops after at most 32`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let lifetimes = LifetimeCounter()
    var elements = (0..<Self.count).map { Counted($0, in: lifetimes) }
    for element in elements { await set.insert(element) }
    elements = []
    // A lock-free set compacts its cells in chunks.
    #expect(await set.compact(atLeast: 1) <= 32)
  }

  /// The set refers to instances of this size through boxes.
  @Test(arguments: backends)
  func `large instances with reused addresses are not confused with dead ones`(
    _ backend: Backend
  ) async throws {
    let set = try await backend.weakSet(of: Large.self)
    for _ in 0..<300 {
      let large = Large()
      #expect(await set.contains(large) == false)
      #expect(await set.insert(large).inserted)
      #expect(await set.contains(large))
      #expect(await set.count == 1)
    }
  }

  private final class Large: Sendable {
    let words = (SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>())
  }

  #if os(Linux) && !WeakBoxes
    /// Each thread drops its object before it creates the next one, so no count may exceed the
    /// number of these threads. With weak boxes it may, because a thread that checks whether an
    /// object is alive keeps it alive meanwhile.
    @Test(arguments: backends)
    func `a count includes only objects that were alive at the same time`(_ backend: Backend)
      async throws
    {
      let set = try await backend.weakSet(of: Counted.self)
      let lifetimes = LifetimeCounter()
      let threads = 4
      let rounds = TestOptions.operations(full: 2000)
      let counts = await inOwnThreadTasks(threads) { thread in
        guard thread > 0 else {
          var most = 0
          for _ in 0..<rounds { most = max(most, await set.count) }
          return most
        }
        for number in 0..<rounds {
          // The object dies before the next one is created.
          await set.insert(Counted(number, in: lifetimes))
        }
        return 0
      }
      #expect(counts[0] <= threads - 1)
    }

    /// A check whether an object is alive does not retain the object, so the thread that checks
    /// never runs its `deinit`.
    @Test(arguments: Backend.synchronous(.weakSet))
    func `an object dies on the thread that releases it, even if other threads check it`(
      _ backend: Backend
    ) async throws {
      releaseAndAsk(try await backend.synchronousWeakSet(of: Homebody.self))
    }

    private func releaseAndAsk(_ set: AnySynchronousWeakSet<Homebody>) {
      let strays = Strays()
      let rounds = TestOptions.operations(full: 2000)
      _ = joinOwnThreads(4) { thread in
        for _ in 0..<rounds {
          if thread.isMultiple(of: 2) {
            set.insert(Homebody(strays))
          } else {
            _ = set.count
            set.compact(atLeast: 1)
          }
        }
      }
      // Relaxed: the threads were joined.
      #expect(strays.count.load(ordering: .relaxed) == 0)
    }
  #endif
}

#if os(Linux) && !WeakBoxes
  /// The number of objects that died on another thread than the one that created them.
  private final class Strays: Sendable {
    let count = Atomic<Int>(0)
  }

  /// An object that must die on the thread that created it.
  private final class Homebody: Sendable {
    private let home = pthread_self()
    private let strays: Strays

    init(_ strays: Strays) {
      self.strays = strays
    }

    deinit {
      // Relaxed: a count, read when the threads have ended.
      if pthread_self() != home { strays.count.wrappingAdd(1, ordering: .relaxed) }
    }
  }
#endif

struct LockFreeWeakTableTests {
  @Test func `a compacted table is as small as if its keys had been removed`() {
    let table = LockFreeWeakTable<ObjectIdentifier, Counted>(domain: EpochDomain())
    let lifetimes = LifetimeCounter()
    var objects = (0..<20_000).map { Counted($0, in: lifetimes) }
    for object in objects { _ = table.insert(object, for: ObjectIdentifier(object)) }
    objects.removeLast(objects.count - 10)
    table.purge()
    table.purge()
    #expect(table.count == objects.count)
    // Before, the table had at least 32,768 cells.
    #expect(table.values.current.capacity <= 256)
    withExtendedLifetime(objects) {}
  }
}
