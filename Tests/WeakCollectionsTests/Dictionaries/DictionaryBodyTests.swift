import EpochReclamation
import Testing
import Threading
import WeakCollections

/// What an `update` must not do inside itself: it stops the process with one line, and never hangs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct UpdateTrapTests {
  enum Use: String, CaseIterable, Codable {
    case update, updateOfAnotherKey, set, remove, removeAll, getOrInsert

    func applyInsideUpdate(_ backend: Backend) async throws {
      applyInsideUpdate(
        of: try await backend.synchronousDictionary(from: Int.self, to: Int.self))
    }

    private func applyInsideUpdate<D: SynchronousDictionary<Int, Int>>(of dictionary: D) {
      dictionary.update(1) { _ in apply(to: dictionary) }
    }

    private func apply<D: SynchronousDictionary<Int, Int>>(to dictionary: D) {
      switch self {
      case .update: dictionary.update(1) { $0 = 2 }
      case .updateOfAnotherKey: dictionary.update(2) { $0 = 2 }
      case .set: dictionary.setValue(2, forKey: 1)
      case .remove: dictionary.removeValue(forKey: 1)
      case .removeAll: dictionary.removeAll()
      case .getOrInsert: _ = dictionary.value(forKey: 1, orInsert: { 2 })
      }
    }
  }

  @Test(arguments: Backend.synchronous(.dictionary), Use.allCases)
  func `writing inside update traps`(_ backend: Backend, _ use: Use) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [backend, use] in
      try await use.applyInsideUpdate(backend)
    }
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(error.contains("the closure of update or withValue used its own collection"))
  }
}

@_silgen_name("swift_retainCount")
private func retainCount(_ object: UnsafeMutableRawPointer) -> UInt

/// What `withValue` lends, and when it traps.
@Suite(.timeLimit(.minutes(10))) struct BorrowingTests {
  private final class Box: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  private struct Pair: Sendable {
    let first: Box
    let second: Box
  }

  /// Not inlined, so that the compiler cannot know that it keeps nothing.
  @inline(never)
  private static func count(_ box: borrowing Box, _ address: UnsafeMutableRawPointer) -> UInt {
    retainCount(address)
  }

  @inline(never)
  private static func count(_ pair: borrowing Pair, _ address: UnsafeMutableRawPointer) -> UInt {
    retainCount(address)
  }

  @Test func `the lock-free dictionary lends objects without a retain`() {
    let dictionary = LockFreeDictionary<Int, Box>(domain: EpochDomain())
    let box = Box(7)
    let address = Unmanaged.passUnretained(box).toOpaque()
    dictionary.setValue(box, forKey: 1)
    let outside = retainCount(address)
    #expect(dictionary.withValue(forKey: 1) { Self.count($0, address) } == outside)
    #expect(retainCount(address) == outside)
    #expect(dictionary.withValue(forKey: 1) { $0.number } == 7)
  }

  @Test func `the lock-free dictionary lends what is in a node without a retain`() {
    let dictionary = LockFreeDictionary<String, Pair>(domain: EpochDomain())
    let box = Box(7)
    let address = Unmanaged.passUnretained(box).toOpaque()
    dictionary.setValue(Pair(first: box, second: box), forKey: "a")
    let outside = retainCount(address)
    #expect(dictionary.withValue(forKey: "a") { Self.count($0, address) } == outside)
    #expect(retainCount(address) == outside)
  }

  @Test func `the lock-free dictionary may be changed from inside withValue`() async {
    await onOwnThread {
      let lifetimes = LifetimeCounter()
      let domain = EpochDomain(bagCapacity: 1)
      let dictionary = LockFreeDictionary<Int, Counted>(domain: domain)
      dictionary.setValue(Counted(1, in: lifetimes), forKey: 1)
      let inside = dictionary.withValue(forKey: 1) { value in
        dictionary.removeValue(forKey: 1)
        domain.advance()
        return (value.number, lifetimes.live)
      }
      #expect(inside?.0 == 1 && inside?.1 == 1)
      while domain.advance() > 0 {}
      #expect(lifetimes.live == 0)
    }
  }

  @Test(arguments: Backend.synchronous(.dictionary).filter { !$0.reclaimsByEpoch })
  func `using a dictionary that locks from inside withValue traps`(_ backend: Backend) async throws
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [backend] in
      let dictionary = try await backend.synchronousDictionary(from: Int.self, to: Int.self)
      writeInside(dictionary)
    }
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(error.contains("the closure of update or withValue used its own collection"))
  }
}

private func writeInside<D: SynchronousDictionary<Int, Int>>(_ dictionary: D) {
  dictionary.setValue(1, forKey: 1)
  _ = dictionary.withValue(forKey: 1) { _ in dictionary.setValue(2, forKey: 2) }
}
