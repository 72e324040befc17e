import Primitives
import Threading

/// The element of the weak arrays that are timed: an object that knows whether it lives and is counted
/// when it dies.
public final class Member: Sendable {
  private let life = Atomic<UInt32>(Member.alive)
  private let tally: Census.Tally

  private static let alive: UInt32 = 0xA11F_E000

  package init(_ tally: Census.Tally) {
    self.tally = tally
    tally.noteBirth()
  }

  deinit {
    // Relaxed: a canary for whoever should not be able to look at all.
    life.store(0, ordering: .relaxed)
    tally.noteDeath()
  }

  /// Whether this object's `deinit` has not begun; what a delegate's method does in the workloads.
  @inline(never)
  package func isAlive() -> Bool {
    life.load(ordering: .relaxed) == Self.alive  // Relaxed, as above.
  }
}

/// A queue that allocates once: what a worker has put into the collection, oldest first.
///
/// A class, so that handing a worker to its task copies nothing while bytes are counted.
final class Ring<Element> {
  private var elements: [Element?]
  private var first = 0
  private(set) var count = 0

  /// Room for at least `capacity` elements.
  init(capacity: Int) {
    var size = 1
    while size < capacity { size *= 2 }
    elements = Array(repeating: nil, count: size)
  }

  func append(_ element: Element) {
    precondition(count < elements.count, "a worker holds no more than it was given room for")
    elements[(first + count) & (elements.count - 1)] = element
    count += 1
  }

  func popFirst() -> Element? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) & (elements.count - 1)
      count -= 1
    }
    return elements[first].take()
  }

  func removeAll() {
    while popFirst() != nil {}
  }

  var all: [Element] {
    (0..<count).map { elements[(first + $0) & (elements.count - 1)]! }
  }
}

// @unchecked: one worker uses it at a time, and workers are handed over by tasks.
extension Ring: @unchecked Sendable where Element: Sendable {}
