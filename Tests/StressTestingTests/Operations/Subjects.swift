import Interleaving

/// A queue that loses an element: two threads can read the same one and then remove two.
final class LossyQueue: Sendable {
  private let items = Mutex<[Int]>([])

  func enqueue(_ item: Int) { items.withLock { $0.append(item) } }

  func dequeue() -> Int? {
    guard let first = items.withLock({ $0.first }) else { return nil }
    items.withLock { if !$0.isEmpty { $0.removeFirst() } }
    return first
  }
}

/// A counter that two threads can increment to the same number.
final class CheckThenActCounter: Sendable {
  private let count = Atomic(0)

  func increment() -> Int {
    let next = count.load(ordering: .relaxed) + 1
    count.store(next, ordering: .relaxed)
    return next
  }

  var value: Int { count.load(ordering: .relaxed) }
}

/// A counter that is lock-free.
final class Counter: Sendable {
  private let count = Atomic(0)

  func increment() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }

  var value: Int { count.load(ordering: .relaxed) }
}

/// A counter with a lock, so that a thread that stops inside stops the others.
final class LockedCounter: Sendable {
  private let count = Mutex(0)

  func increment() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// Two accounts, each with a lock, which the two directions of a transfer take in different orders.
final class Accounts: Sendable {
  private let first = Mutex(0)
  private let second = Mutex(0)

  func transferForth() {
    first.withLock { first in
      second.withLock { second in (first, second) = (first - 1, second + 1) }
    }
  }

  func transferBack() {
    second.withLock { second in
      first.withLock { first in (first, second) = (first + 1, second - 1) }
    }
  }
}

/// A latch that no operation opens.
final class ClosedLatch: Sendable {
  private let semaphore = Semaphore(0)

  func pass() { semaphore.wait() }
}

/// A flag for which a thread spins, and which nobody raises.
final class SpinningLatch: Sendable {
  private let flag = Atomic(false)

  func pass() { while !flag.load(ordering: .relaxed) { spinHint() } }

  func passWithoutHint() { while !flag.load(ordering: .relaxed) {} }
}

/// A subject whose results no order of the calls determines.
final class Dice: Sendable {
  func roll() -> Int { .random(in: 0...1_000_000_000) }
}

/// A subject that takes a random number of steps, which its results do not show.
final class RandomSteps: Sendable {
  private let count = Atomic(0)

  func act() {
    for _ in 0..<Int.random(in: 1...1000) { count.wrappingAdd(1, ordering: .relaxed) }
  }
}

/// An actor that is re-entered between its reading and its writing.
actor ReentrantCounter {
  private var count = 0

  func increment() async -> Int {
    let next = count + 1
    await Task.yield()
    count = next
    return next
  }
}

/// An actor without a suspension inside its operation.
actor ActorCounter {
  private var count = 0

  func increment() -> Int {
    count += 1
    return count
  }
}

/// A log for one producer: two would write the same item.
final class ProducerLog: Sendable {
  private final class Item: Sendable {
    let value = Atomic(0)
  }

  private let count = Atomic(0)
  private let items = (0..<16).map { _ in Item() }

  func push(_ value: Int) {
    let index = count.load(ordering: .relaxed)
    items[index].value.store(value, ordering: .relaxed)
    count.store(index + 1, ordering: .releasing)
  }

  var all: [Int] {
    items[..<count.load(ordering: .acquiring)].map { $0.value.load(ordering: .relaxed) }
  }
}

/// A subject that throws.
final class Stock: Sendable {
  enum Failure: Error { case soldOut }

  private let left = Mutex(2)

  func buy() throws -> Int {
    try left.withLock { left in
      guard left > 0 else { throw Failure.soldOut }
      left -= 1
      return left
    }
  }
}
