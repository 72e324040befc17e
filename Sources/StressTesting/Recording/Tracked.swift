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

/// An object in a collection under test: an element of a weak array, a value of a dictionary.
package final class Tracked: Sendable {
  package let number: Int
  /// The objects that were appended to make this value, itself last; for dictionaries.
  package let list: [Int]
  private let ledger: Ledger
  private let reentry: Reentry?

  init(_ number: Int, after list: [Int] = [], in ledger: Ledger, reentry: Reentry? = nil) {
    self.number = number
    self.list = list + [number]
    self.ledger = ledger
    self.reentry = reentry
    ledger.noteBirth(of: number)
  }

  deinit {
    ledger.noteDeath(of: number)
    reentry?.run(number)
  }
}

/// Keeps the births and deaths of one execution's objects; lives as long as the last of them.
///
/// Its atomics are the system's own: they are no steps of what is tested.
// @unchecked: the pointer is immutable, and what it points to atomic.
package final class Ledger: @unchecked Sendable {
  private struct Life: ~Copyable {
    let births = Atomic<Int>(0)
    let deaths = Atomic<Int>(0)
    let deathStamp = Atomic<UInt64>(0)
  }

  private let lives: UnsafeMutablePointer<Life>
  package let objectCount: Int
  private let stamps: StampSource

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
    // Relaxed: read by this thread, or once the threads are joined.
    lives[object].births.wrappingAdd(1, ordering: .relaxed)
  }

  func noteDeath(of object: Int) {
    // Relaxed: the count below publishes it.
    lives[object].deathStamp.store(stamps.now(), ordering: .relaxed)
    // Releasing: pairs with the load in `deaths`.
    lives[object].deaths.wrappingAdd(1, ordering: .releasing)
  }

  package func births(of object: Int) -> Int {
    // Relaxed: see `noteBirth`.
    lives[object].births.load(ordering: .relaxed)
  }

  /// How many instances of the object have begun their `deinit`.
  package func deaths(of object: Int) -> Int {
    // Acquiring: pairs with `noteDeath`; whoever sees the death sees its stamp.
    lives[object].deaths.load(ordering: .acquiring)
  }

  /// When the object's `deinit` began; nil while it lives.
  package func deathStamp(of object: Int) -> UInt64? {
    // Relaxed: ordered by the load of the count.
    deaths(of: object) > 0 ? lives[object].deathStamp.load(ordering: .relaxed) : nil
  }

  /// Whether everything that was born has died.
  package var isEmpty: Bool {
    (0..<objectCount).allSatisfy { births(of: $0) == deaths(of: $0) }
  }
}

/// The strong references that one thread of a scenario has.
// @unchecked: touched by that thread alone, and by nobody else before it starts or until it has ended.
final class Holdings: @unchecked Sendable {
  private var objects: [Tracked?]

  init(_ objects: [Tracked?]) { self.objects = objects }

  func object(_ number: Int) -> Tracked? { objects[number] }

  /// Lets go of an object and hands it over.
  func take(_ number: Int) -> Tracked? {
    let object = objects[number]
    objects[number] = nil
    return object
  }

  func holds(_ number: Int) -> Bool { objects[number] != nil }

  func releaseAll() { objects = [] }
}

/// What a re-entrant object does as it dies, until the execution is over.
// @unchecked: written before the threads start and after they have ended.
final class Reentry: @unchecked Sendable {
  private var action: (@Sendable (Int) -> Void)?

  init(_ action: @escaping @Sendable (Int) -> Void) { self.action = action }

  func run(_ object: Int) { action?(object) }

  /// Lets go of the collection; objects that die later do nothing.
  func end() { action = nil }
}

/// Where the moments of calls and returns come from.
///
/// Of two operations, one came before the other only if its return has a *smaller* stamp than the
/// other's call. Equal stamps order nothing.
package struct StampSource: Sendable {
  private let read: @Sendable () -> UInt64

  /// The caller's own count, such as a managed scheduler's steps.
  package init(_ read: @escaping @Sendable () -> UInt64) { self.read = read }

  package func now() -> UInt64 { read() }

  /// Each thread reads the clock for itself: no line of memory is shared, so recording orders nothing
  /// between the threads that is not ordered anyway. The standard on real threads.
  ///
  /// Sequentially consistent fences on both sides: what the thread wrote is visible before the clock is
  /// read on return, and nothing is read before the clock is on call. Without them a store that is still
  /// in the core's buffer looks like one that others miss.
  package static let clock = StampSource {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// A number drawn from one counter: no two are equal, but every drawing synchronizes all threads, which
  /// hides bugs. For machines whose clocks disagree between cores.
  package static func ticket() -> StampSource {
    let counter = TicketCounter()
    return StampSource { counter.next() }
  }
}

private final class TicketCounter: Sendable {
  private let value = Atomic<UInt64>(0)

  // Sequentially consistent: the order of tickets is the order of calls and returns.
  func next() -> UInt64 { value.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }
}
