import EpochReclamation
import Testing
import Threading
import WeakCollections

/// What a body must not do: any use of its own dictionary stops the process with one line, in every
/// backend, and never hangs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct BodyTrapTests {
  enum Use: String, CaseIterable, Codable {
    case update, updateOfAnotherKey, set, remove, removeAll, getOrInsert
    case get, getSeveral, borrow, contains, count, snapshot

    func applyInsideUpdate(_ backend: Backend) async throws {
      applyInsideUpdate(
        of: try await backend.synchronousDictionary(from: Int.self, to: Int.self))
    }

    private func applyInsideUpdate<D: SynchronousDictionary<Int, Int>>(of dictionary: D) {
      // From a thread that reads quickly, too.
      for _ in 0..<100 { _ = dictionary.value(forKey: 1) }
      dictionary.update(1) { _ in apply(to: dictionary) }
    }

    func applyInsideWithValue(_ backend: Backend) async throws {
      applyInsideWithValue(
        of: try await backend.synchronousDictionary(from: Int.self, to: Int.self))
    }

    private func applyInsideWithValue<D: SynchronousDictionary<Int, Int>>(of dictionary: D) {
      dictionary.setValue(1, forKey: 1)
      _ = dictionary.withValue(forKey: 1) { _ in apply(to: dictionary) }
    }

    private func apply<D: SynchronousDictionary<Int, Int>>(to dictionary: D) {
      switch self {
      case .update: dictionary.update(1) { $0 = 2 }
      case .updateOfAnotherKey: dictionary.update(2) { $0 = 2 }
      case .set: dictionary.setValue(2, forKey: 1)
      case .remove: dictionary.removeValue(forKey: 1)
      case .removeAll: dictionary.removeAll()
      case .getOrInsert: _ = dictionary.value(forKey: 1, orInsert: { 2 })
      case .get: _ = dictionary.value(forKey: 2)
      case .getSeveral: _ = dictionary.values(forKeys: [2])
      case .borrow: _ = dictionary.withValue(forKey: 2) { $0 }
      case .contains: _ = dictionary.contains(key: 2)
      case .count: _ = dictionary.count
      case .snapshot: _ = dictionary.snapshot
      }
    }
  }

  @Test(arguments: Backend.synchronous(.dictionary), Use.allCases)
  func `using a dictionary inside its update traps`(_ backend: Backend, _ use: Use) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [backend, use] in
      try await use.applyInsideUpdate(backend)
    }
    expectReport(result)
  }

  @Test(arguments: Backend.synchronous(.dictionary), [Use.get, .set, .update, .count])
  func `using a dictionary inside its withValue traps`(_ backend: Backend, _ use: Use) async throws
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [backend, use] in
      try await use.applyInsideWithValue(backend)
    }
    expectReport(result)
  }

  @Test(arguments: Backend.synchronous(.dictionary), [true, false])
  func `a key whose own functions use the dictionary traps`(
    _ backend: Backend, _ inHash: Bool
  ) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [backend, inHash] in
      let dictionary = try await backend.synchronousDictionary(from: UsingKey.self, to: Int.self)
      useInKeys(dictionary, inHash: inHash)
    }
    expectReport(result)
  }

  private func expectReport(_ result: ExitTest.Result?) {
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(error.contains("the closure of update or withValue used its own collection"))
  }
}

/// A key that calls a closure when it is hashed or compared.
private struct UsingKey: Hashable, Sendable {
  let number: Int
  let whenHashed: @Sendable () -> Void
  let whenCompared: @Sendable () -> Void

  static func == (first: UsingKey, second: UsingKey) -> Bool {
    first.whenCompared()
    return first.number == second.number
  }

  func hash(into hasher: inout Hasher) {
    whenHashed()
    hasher.combine(0)
  }
}

private func useInKeys<D: SynchronousDictionary<UsingKey, Int> & Sendable>(
  _ dictionary: D, inHash: Bool
) {
  for number in 0..<5 {
    let key = UsingKey(
      number: number, whenHashed: { if inHash { _ = dictionary.count } },
      whenCompared: { if !inHash { _ = dictionary.count } })
    dictionary.setValue(number, forKey: key)
  }
}

@_silgen_name("swift_retainCount")
private func retainCount(_ object: UnsafeMutableRawPointer) -> UInt

/// What `withValue` lends.
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
}
