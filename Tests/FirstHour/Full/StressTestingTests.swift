import StressTesting
import Testing
import WeakCollections

// StressTesting.md 4
// StressTesting.md 2
final class BoundedQueue: Sendable {
  private let queue: Mutex<QueueModel>

  init(capacity: Int) { queue = Mutex(QueueModel(capacity: capacity)) }

  func enqueue(_ item: Int) -> Bool { queue.withLock { $0.enqueue(item) } }

  func dequeue() -> Int? { queue.withLock { $0.dequeue() } }
}
// StressTesting.md 1

actor ActorCounter {
  private var count = 0

  func increment() -> Int {
    count += 1
    return count
  }
}
// StressTesting.md 5

typealias YourDictionary = BucketLockDictionary
// StressTesting.md 6
