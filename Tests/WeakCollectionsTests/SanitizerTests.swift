import EpochReclamation
import Primitives
import Synchronization
import Testing
import Threading

@testable import WeakCollections

/// `MutexLock` annotates its acquisitions and releases for ThreadSanitizer. The annotations must
/// not hide a race beside the lock.
@Suite(.enabled(if: Sanitizer.isThreadSanitizer), .timeLimit(.minutes(10)))
struct SeededRaceTests {
  /// A variable without synchronization.
  // @unchecked: the accesses race, which the test requires.
  private final class Unguarded: @unchecked Sendable {
    var value = 0
  }

  private static func use(_ dictionary: MutexDictionary<Int, Int>, _ variable: Unguarded?) async {
    _ = await onOwnThreads(4) { _ in
      for number in 0..<2000 {
        dictionary.update(number % 3) { $0 = ($0 ?? 0) + 1 }
        if let variable { variable.value += 1 }
      }
    }
  }

  @Test func `a race beside a contended mutex is reported`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await Self.use(MutexDictionary(), Unguarded())
    }
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(error.contains("race"))
    #expect(error.contains("ThreadSanitizer"))
  }

  @Test func `without the race there is no report`() async {
    await #expect(processExitsWith: .success) {
      await Self.use(MutexDictionary(), nil)
    }
  }
}

/// The memory of a collection that is alive at exit is no leak, because LeakSanitizer finds
/// pointers to it.
///
/// Each test runs a process, whose exit status reports leaks. With `ASAN_OPTIONS=log_path=FILE` the
/// process describes them in a file beside `FILE`.
@Suite(.enabled(if: Sanitizer.detectsLeaks), .timeLimit(.minutes(10))) struct LeakVisibilityTests {
  private final class Thing: Sendable {
    let content = [1, 2, 3]
  }

  /// The only root of the objects that a process keeps.
  private static let kept = Synchronization.Mutex<[any Sendable]>([])

  private static func keep(_ collection: any Sendable) {
    kept.withLock { $0.append(collection) }
  }

  /// Overwrites the pointers that earlier calls left on the stack, which would be roots, too.
  @inline(never)
  private static func clearStack() {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) {
      for index in $0.indices { $0[index] = 0 }
    }
  }

  private static func fill<Key, Value>(
    _ keys: some Sequence<Key>, with value: () -> Value
  ) where Key: Hashable & Sendable, Value: Sendable {
    fill(LockFreeDictionary<Key, Value>(), keys, with: value)
    fill(BucketLockDictionary<Key, Value>(), keys, with: value)
  }

  @inline(never)
  private static func fill<D: SynchronousDictionary & Sendable>(
    _ dictionary: D, _ keys: some Sequence<D.Key>, with value: () -> D.Value
  ) {
    keep(dictionary)
    for key in keys {
      dictionary.setValue(value(), forKey: key)
      // The replaced value is retired.
      dictionary.setValue(value(), forKey: key)
    }
    clearStack()
  }

  @inline(never)
  private static func fill<A: SynchronousWeakArray & Sendable>(
    _ array: A, with element: () -> A.Element
  ) {
    keep(array)
    for _ in 0..<100 { array.append(element()) }
    clearStack()
  }

  @Test func `leaks are found`() async {
    await #expect(processExitsWith: .failure) {
      for _ in 0..<100 { _ = Unmanaged.passRetained(Thing()) }
      Self.clearStack()
    }
  }

  @Test func `values of a dictionary are no leaks`() async {
    await #expect(processExitsWith: .success) {
      Self.fill(0..<100) { Thing() }
      Self.fill(0..<100) { Optional(Thing()) }
      Self.fill(0..<100) { [1, 2, 3] }
      Self.fill(0..<100) { String(repeating: "long", count: 20) }
      let owner = LockFreeDictionary<Int, Unmanaged<Thing>>()
      Self.keep(owner)
      for key in 0..<100 { owner.setValue(.passRetained(Thing()), forKey: key) }
      Self.clearStack()
    }
  }

  @Test func `keys of a dictionary are no leaks`() async {
    await #expect(processExitsWith: .success) {
      Self.fill((0..<100).map { "a key, which is longer than what stands in a word: \($0)" }) { 1 }
      Self.fill((0..<100).map { ["\($0)"] }) { Thing() }
    }
  }

  @Test func `the memory of weak collections is no leak`() async {
    await #expect(processExitsWith: .success) {
      Self.fill(LockFreeWeakArray<Thing>()) { Thing() }
      Self.fill(LockFreeWeakArray<Large>()) { Large() }
      Self.fill(MutexWeakArray<Thing>()) { Thing() }
      Self.fill(MutexWeakArray<Large>()) { Large() }
      let set = LockFreeWeakSet<Thing>()
      let values = LockFreeWeakValueDictionary<String, Thing>()
      let living = (0..<100).map { _ in Thing() }
      Self.keep(set)
      Self.keep(values)
      Self.keep(living)
      for (number, thing) in living.enumerated() {
        set.insert(thing)
        set.insert(Thing())
        values.setValue(Thing(), forKey: "a key, which is longer than a word: \(number)")
      }
      Self.clearStack()
    }
  }

  /// An object so large that an array refers to it through a box.
  private final class Large: Sendable {
    let words = (SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>())
  }
}
