import Primitives

/// The time that counts, the same for all workers of a trial.
///
/// 1. It opens once every worker is at work, and closes after the time asked for, or later: when all have
///    been counted for one operation.
/// 2. Nobody waits at either end: a worker looks at the signs between operations, works on, and counts
///    from when it sees that the window has opened to when it sees that it has closed.
/// 3. Nobody stops before all have seen it close.
///
/// So no operation is counted while fewer workers than asked for are at work, which would make an
/// operation look cheaper than it is among so many. What a worker has begun when the window opens is not
/// counted, and what it has begun when it closes is; on average that is the same.
final class CommonWindow: Sendable {
  let opening = StopSign()
  let closing = StopSign()
  let end = StopSign()

  /// Workers that have not come so far yet.
  private let absent: Atomic<Int>
  private let uncounted: Atomic<Int>
  private let counting: Atomic<Int>

  /// How long all wait at most for one: others may keep it from ever finishing an operation, and then it
  /// does not look.
  private let patienceNanoseconds: Int

  init(workers: Int, patienceSeconds: Double = 1) {
    absent = Atomic(workers)
    uncounted = Atomic(workers)
    counting = Atomic(workers)
    patienceNanoseconds = Int(patienceSeconds * 1e9)
  }

  // Relaxed, all: they say when, and hand nothing over.

  /// Says that a worker is at work from now on.
  func enter() { absent.wrappingSubtract(1, ordering: .relaxed) }

  /// Says that a worker has seen the window open, and done an operation since.
  func noteFirst() { uncounted.wrappingSubtract(1, ordering: .relaxed) }

  /// Says that a worker has seen the window close.
  func leave() { counting.wrappingSubtract(1, ordering: .relaxed) }

  /// Returns once everyone is at work.
  func waitForAll() async {
    while absent.load(ordering: .relaxed) > 0 { await Self.pause() }
  }

  /// Opens the window, closes it when `pass` has returned or later, and returns how many seconds that was.
  func count(while pass: () async -> Void) async -> Double {
    let start = Clock.now()
    opening.raise()
    await pass()
    await wait { uncounted.load(ordering: .relaxed) }
    let end = Clock.now()
    closing.raise()
    return Double(end - start) / 1e9
  }

  /// Sends everyone home, once all have seen the window close.
  func dismiss() async {
    await wait { counting.load(ordering: .relaxed) }
    end.raise()
  }

  /// Returns when there is none left, or patience is at its end.
  private func wait(for workers: () -> Int) async {
    let latest = Clock.now() + patienceNanoseconds
    while workers() > 0 && Clock.now() < latest { await Self.pause() }
  }

  private static func pause() async {
    try? await Task.sleep(for: .milliseconds(1))
  }
}
