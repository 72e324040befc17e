import Primitives
import Threading

/// The element of the weak collections that trials use.
///
/// It detects calls after its death, and reports its birth and its death to a lifetime counter.
public final class Member: Sendable {
  private let life = Atomic<UInt32>(Member.alive)
  private let tally: LifetimeCounter.Tally

  private static let alive: UInt32 = 0xA11F_E000

  package init(_ tally: LifetimeCounter.Tally) {
    self.tally = tally
    tally.noteBirth()
  }

  deinit {
    // Relaxed: only a canary; a collection that is correct never makes a dead member accessible.
    life.store(0, ordering: .relaxed)
    tally.noteDeath()
  }

  /// Returns whether the object is alive: its `deinit` has not begun.
  ///
  /// The workloads call it in place of a delegate's method.
  @inline(never)
  package func isAlive() -> Bool {
    life.load(ordering: .relaxed) == Self.alive  // Relaxed, as above.
  }
}

/// A queue of fixed capacity with the elements that a worker has added, oldest first.
///
/// It allocates only once. It is a class, so that moving a worker into its task copies nothing
/// while bytes are counted.
final class Ring<Element> {
  private var elements: [Element?]
  private var first = 0
  private(set) var count = 0

  /// Allocates memory for at least `capacity` elements.
  init(capacity: Int) {
    var size = 1
    while size < capacity { size *= 2 }
    elements = Array(repeating: nil, count: size)
  }

  func append(_ element: Element) {
    guard count < elements.count else {
      fatalError("the ring already has \(count) elements; create it with a larger capacity")
    }
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

// @unchecked: only one worker uses a ring, and tasks synchronize when they pass a worker on.
extension Ring: @unchecked Sendable where Element: Sendable {}
