import EpochReclamation
import Primitives
import SeededTesting
import Testing
import Threading
import WeakCollections

/// Keys that are not equal to themselves, keys with one hash, and values that are dying or nested:
/// what a standard dictionary does with them, every backend does.
@Suite(.timeLimit(.minutes(10))) struct UnusualContentTests {
  private static let backends = Backend.synchronous(.dictionary)

  /// A key of one word that a table stores in the word, and not equal to itself if it is negative.
  private struct Odd: Hashable, Sendable {
    let number: Int32
    static func == (first: Odd, second: Odd) -> Bool {
      first.number == second.number && first.number >= 0
    }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test(arguments: backends)
  func `keys that are not equal to themselves behave as in a standard dictionary`(
    _ backend: Backend
  ) async throws {
    check(try await backend.synchronousDictionary(from: Double.self, to: Int.self), .nan, 1.5)
    check(try await backend.synchronousDictionary(from: Float.self, to: Int.self), .nan, 1.5)
    check(
      try await backend.synchronousDictionary(from: Odd.self, to: Int.self), Odd(number: -1),
      Odd(number: 1))
    func check<D: SynchronousDictionary>(_ dictionary: D, _ odd: D.Key, _ even: D.Key)
    where D.Value == Int {
      var standard: [D.Key: Int] = [:]
      for number in 0..<100 {
        dictionary.setValue(number, forKey: odd)
        standard[odd] = number
      }
      dictionary.setValue(1, forKey: even)
      standard[even] = 1
      #expect(dictionary.updateValue(2, forKey: odd) == standard.updateValue(2, forKey: odd))
      #expect(dictionary.removeValue(forKey: odd) == standard.removeValue(forKey: odd))
      #expect(dictionary.value(forKey: odd) == nil && !dictionary.contains(key: odd))
      #expect(dictionary.value(forKey: odd, orInsert: { 3 }) == 3)
      standard[odd] = 3
      #expect(dictionary.value(forKey: even) == 1)
      #expect(dictionary.withValue(forKey: odd) { $0 } == nil)
      #expect(dictionary.count == standard.count)
      #expect(dictionary.snapshot.count == standard.count)
      #expect(dictionary.snapshot.values.sorted() == standard.values.sorted())
      dictionary.update(odd) { $0 = nil }
      #expect(dictionary.count == standard.count)
      dictionary.removeAll()
      #expect(dictionary.isEmpty && dictionary.snapshot.isEmpty)
    }
  }

  @Test(arguments: backends)
  func `keys with one hash are kept apart`(_ backend: Backend) async throws {
    struct Key: Hashable, Sendable {
      let number: Int
      func hash(into hasher: inout Hasher) { hasher.combine(7) }
    }
    struct Small: Hashable, Sendable {
      let number: Int32
      func hash(into hasher: inout Hasher) { hasher.combine(7) }
    }
    let count = TestOptions.operations(full: 1000)
    check(try await backend.synchronousDictionary(from: Key.self, to: Int.self)) { Key(number: $0) }
    check(try await backend.synchronousDictionary(from: Small.self, to: Int.self)) {
      Small(number: Int32($0))
    }
    func check<D: SynchronousDictionary>(_ dictionary: D, key: (Int) -> D.Key)
    where D.Value == Int {
      for number in 0..<count { dictionary.setValue(number, forKey: key(number)) }
      #expect(dictionary.count == count)
      #expect((0..<count).allSatisfy { dictionary.value(forKey: key($0)) == $0 })
      for number in 0..<count where number % 2 == 0 { dictionary.removeValue(forKey: key(number)) }
      for number in 0..<count { dictionary.setValue(-number, forKey: key(number)) }
      #expect((0..<count).allSatisfy { dictionary.value(forKey: key($0)) == -$0 })
    }
  }

  @Test(arguments: [Backend.lockFree, .bucketLock])
  func `storing an object in its deinit traps with one line`(_ backend: Backend) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [backend] in
      let dictionary = try await backend.synchronousDictionary(from: Int.self, to: Returning.self)
      storeDying(in: dictionary)
    }
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #if os(Linux) && !WeakBoxes
      #expect(error.contains("an object whose deinit has begun cannot be stored"))
    #else
      #expect(error.contains("deinit") || error.contains("dealloc"))
    #endif
  }

  @Test(arguments: [Backend.lockFree, .mutex, .readWriteLock, .adaptiveLock, .barrierQueue])
  func `interning an object in its deinit traps with one line`(_ backend: Backend) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [backend] in
      switch backend {
      case .lockFree: internDying(in: LockFreeWeakValueDictionary())
      case .mutex: internDying(in: MutexWeakValueDictionary())
      case .readWriteLock: internDying(in: ReadWriteLockWeakValueDictionary())
      case .adaptiveLock: internDying(in: AdaptiveLockWeakValueDictionary())
      default: internDying(in: BarrierQueueWeakValueDictionary())
      }
    }
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(error.contains("an object whose deinit has begun cannot be inserted"))
  }

  @Test(arguments: backends)
  func `a long chain of nested dictionaries is released`(_ backend: Backend) async throws {
    final class Link: Sendable {
      let next: AnySynchronousDictionary<Int, Link>
      private let counted: Counted
      init(_ next: AnySynchronousDictionary<Int, Link>, _ lifetimes: LifetimeCounter) {
        self.next = next
        counted = Counted(in: lifetimes)
      }
    }
    let lifetimes = LifetimeCounter()
    var first: AnySynchronousDictionary<Int, Link>? =
      try await backend.synchronousDictionary(from: Int.self, to: Link.self)
    for _ in 0..<20_000 {
      let outer = try await backend.synchronousDictionary(from: Int.self, to: Link.self)
      outer.setValue(Link(first!, lifetimes), forKey: 1)
      first = outer
    }
    first = nil
    #expect(lifetimes.live == 0)
  }

  @Test(arguments: [Backend.lockFree, .bucketLock])
  func `a long chain of deinits that clear dictionaries does not exhaust the stack`(
    _ backend: Backend
  ) async throws {
    final class Link: Sendable {
      let next: AnySynchronousDictionary<Int, Link>
      private let counted: Counted
      init(_ next: AnySynchronousDictionary<Int, Link>, _ lifetimes: LifetimeCounter) {
        self.next = next
        counted = Counted(in: lifetimes)
      }
      deinit { next.removeAll() }
    }
    let lifetimes = LifetimeCounter()
    var first = try await backend.synchronousDictionary(from: Int.self, to: Link.self)
    for _ in 0..<20_000 {
      let outer = try await backend.synchronousDictionary(from: Int.self, to: Link.self)
      outer.setValue(Link(first, lifetimes), forKey: 1)
      first = outer
    }
    first.removeAll()
    while lifetimes.live > 0 { BackgroundThread.sleep(microseconds: 100) }
  }
}

/// An object that calls a closure with itself in its `deinit`.
private final class Returning: Sendable {
  let lastAct: @Sendable (Returning) -> Void
  init(_ lastAct: @escaping @Sendable (Returning) -> Void) { self.lastAct = lastAct }
  deinit { lastAct(self) }
}

private func storeDying<D: SynchronousDictionary<Int, Returning> & Sendable>(in dictionary: D) {
  _ = Returning { dictionary.setValue($0, forKey: 1) }
}

private func internDying<D: ConcurrentWeakValueDictionary<Int, Returning> & Sendable>(
  in dictionary: D
) {
  _ = Returning { dying in _ = dictionary.value(forKey: 1, orInsert: { dying }) }
}
