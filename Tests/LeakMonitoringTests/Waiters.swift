/// Tasks that wait until there are so many of something.
struct Waiters {
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  mutating func add(_ continuation: CheckedContinuation<Void, Never>, for count: Int) {
    waiting.append((count, continuation))
  }

  /// Those who have waited for no more than `count`; to be resumed outside locks.
  mutating func take(at count: Int) -> [CheckedContinuation<Void, Never>] {
    let ready = waiting.filter { $0.count <= count }
    waiting.removeAll { $0.count <= count }
    return ready.map(\.continuation)
  }
}
