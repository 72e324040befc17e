import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// An object in a collection under test: an element of a weak collection, or a value of a
/// dictionary. `stress` creates the objects, and checks that each is released once, and in time.
public final class StressObject: Sendable {
  /// The number of the object in its scenario, from 0.
  public let number: Int
  /// The objects that were appended to a value of a dictionary; this object is the last one.
  package let list: [Int]
  private let registry: LifetimeRegistry
  private let reentry: Reentry?

  init(
    _ number: Int, after list: [Int] = [], in registry: LifetimeRegistry, reentry: Reentry? = nil
  ) {
    self.number = number
    self.list = list + [number]
    self.registry = registry
    self.reentry = reentry
    registry.noteBirth(of: number)
  }

  deinit {
    registry.noteDeath(of: number)
    reentry?.run(number)
  }
}

/// A registry of the births and deaths of one execution's objects, which keep it alive.
///
/// It uses the atomics of the standard library, so that its operations are not steps of a schedule.
// @unchecked: the pointer is immutable, and the memory behind it consists of atomics.
package final class LifetimeRegistry: @unchecked Sendable {
  private struct Life: ~Copyable {
    let births = Atomic<Int>(0)
    let deaths = Atomic<Int>(0)
    let deathStamp = Atomic<UInt64>(0)
  }

  private let lives: UnsafeMutablePointer<Life>
  /// The number of objects.
  package let objectCount: Int
  private let stamps: StampSource

  /// Creates a registry for the objects with numbers below `objectCount`.
  package init(objectCount: Int, stamps: StampSource) {
    self.objectCount = objectCount
    self.stamps = stamps
    lives = .allocate(capacity: objectCount)
    for object in 0..<objectCount { (lives + object).initialize(to: Life()) }
  }

  deinit {
    lives.deinitialize(count: objectCount)
    lives.deallocate()
  }

  func noteBirth(of object: Int) {
    // Relaxed: until the threads are joined, only this thread reads it.
    lives[object].births.wrappingAdd(1, ordering: .relaxed)
  }

  func noteDeath(of object: Int) {
    // Relaxed: the releasing addition below publishes it.
    lives[object].deathStamp.store(stamps.now(), ordering: .relaxed)
    // Releasing: pairs with the acquiring load in `deaths(of:)`.
    lives[object].deaths.wrappingAdd(1, ordering: .releasing)
  }

  /// Returns the number of instances of the object that were created.
  package func births(of object: Int) -> Int {
    // Relaxed: see `noteBirth`.
    lives[object].births.load(ordering: .relaxed)
  }

  /// Returns the number of instances of the object whose `deinit` has begun.
  package func deaths(of object: Int) -> Int {
    // Acquiring: pairs with the addition in `noteDeath(of:)`. A thread that sees the death also
    // sees its stamp.
    lives[object].deaths.load(ordering: .acquiring)
  }

  /// Returns the stamp at which the object's `deinit` began; `nil` while it is alive.
  package func deathStamp(of object: Int) -> UInt64? {
    // Relaxed: the acquiring load in `deaths(of:)` orders it.
    deaths(of: object) > 0 ? lives[object].deathStamp.load(ordering: .relaxed) : nil
  }

  /// Whether all objects have died.
  package var isEmpty: Bool {
    (0..<objectCount).allSatisfy { births(of: $0) == deaths(of: $0) }
  }
}

/// The strong references of one thread of a scenario.
// @unchecked: only that thread uses it while it runs; the driver uses it before and after.
final class Holdings: @unchecked Sendable {
  private var objects: [StressObject?]

  init(_ objects: [StressObject?]) { self.objects = objects }

  func object(_ number: Int) -> StressObject? { objects[number] }

  /// Removes and returns the reference to an object.
  func take(_ number: Int) -> StressObject? {
    let object = objects[number]
    objects[number] = nil
    return object
  }

  func holds(_ number: Int) -> Bool { objects[number] != nil }

  func releaseAll() { objects = [] }
}

/// The action that the `deinit` of a re-entrant object runs, until the end of the execution.
// @unchecked: written before the threads start and after they have ended.
final class Reentry: @unchecked Sendable {
  private var action: (@Sendable (Int) -> Void)?

  init(_ action: @escaping @Sendable (Int) -> Void) { self.action = action }

  func run(_ object: Int) { action?(object) }

  /// Releases the collection. The `deinit` of an object that dies later does nothing.
  func end() { action = nil }
}

/// A source of stamps for calls and returns.
///
/// One operation precedes another only if the stamp of its return is *less* than the stamp of the
/// other's call. Equal stamps order nothing.
package struct StampSource: Sendable {
  private let read: @Sendable () -> UInt64

  /// Creates a source that reads the caller's stamps, such as those of a managed scheduler.
  package init(_ read: @escaping @Sendable () -> UInt64) { self.read = read }

  /// Returns the current stamp.
  package func now() -> UInt64 { read() }

  /// The monotonic clock, the default on real threads.
  ///
  /// Reading it uses no shared memory, so recording does not synchronize the threads.
  ///
  /// Sequentially consistent fences surround the reading. At a return, the thread's writes are
  /// visible before it reads the clock; at a call, the thread reads the clock before it reads other
  /// memory. Without the fences, a store that is still in the core's store buffer would look like a
  /// lost store.
  package static let clock = StampSource {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Returns a source of distinct numbers from one counter, for machines whose cores have different
  /// clocks.
  ///
  /// Drawing a number synchronizes all threads, which can hide defects.
  package static func ticket() -> StampSource {
    let counter = TicketCounter()
    return StampSource { counter.next() }
  }
}

private final class TicketCounter: Sendable {
  private let value = Atomic<UInt64>(0)

  // Sequentially consistent, with itself as its partner: the order of the numbers is the order of
  // calls and returns.
  func next() -> UInt64 { value.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }
}
