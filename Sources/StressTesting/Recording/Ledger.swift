import Synchronization

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
