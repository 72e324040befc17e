#if Interleaving
  import Interleaving
#else
  import Synchronization

  /// A loop that waits calls it. Only the scheduler needs it.
  func spinHint() {}
#endif

/// A queue with a bound, behind a lock.
final class BoundedQueue: Sendable {
  private let items = Mutex<[Int]>([])
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  func enqueue(_ item: Int) -> Bool {
    items.withLock { items in
      guard items.count < capacity else { return false }
      items.append(item)
      return true
    }
  }

  func dequeue() -> Int? {
    items.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}

/// What a bounded queue returns to a single thread.
struct QueueModel: Hashable, Sendable {
  private var items: [Int] = []
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  mutating func enqueue(_ item: Int) -> Bool {
    guard items.count < capacity else { return false }
    items.append(item)
    return true
  }

  mutating func dequeue() -> Int? {
    items.isEmpty ? nil : items.removeFirst()
  }
}
