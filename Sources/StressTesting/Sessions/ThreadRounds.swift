import Primitives
import SeededRandom
import Synchronization
import Threading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// Many executions, or rounds, on the same operating system threads.
///
/// The objects of all rounds are created in advance. Before each round, the threads wait for each
/// other at a barrier. Then each thread waits for a random time, so that the operations overlap
/// differently in each round.
struct ThreadRounds: Sendable {
  /// The seed of the random delays.
  var seed: UInt64

  /// Returns the number of rounds for a scenario. Large and small scenarios perform about the same
  /// number of operations, so a minimized scenario runs more often.
  static func count(operations: Int) -> Int {
    max(2, min(100, 1000 / max(1, operations)))
  }

  /// Runs the rounds in order, each with `threads` concurrent calls of `body`.
  ///
  /// - Parameter body: The work of one thread in one round; its arguments are the round and the
  ///   index of the thread.
  func run<Round: Sendable>(
    _ rounds: [Round], threads: Int, _ body: @escaping @Sendable (Round, Int) -> Void
  ) async {
    let line = StartLine(threadCount: threads)
    _ = await onOwnThreads(threads) { index in
      var delays = delays(of: index)
      for (number, round) in rounds.enumerated() {
        line.arrive()
        Self.wait(delays.number(below: Self.longestDelay(number)))
        body(round, index)
      }
    }
  }

  /// Runs the rounds in order, as `run` does, with a task on each thread.
  func runTasks<Round: Sendable>(
    _ rounds: [Round], threads: Int, _ body: @escaping @Sendable (Round, Int) async -> Void
  ) async {
    let line = StartLine(threadCount: threads)
    _ = await inOwnThreadTasks(threads) { index in
      var delays = delays(of: index)
      for (number, round) in rounds.enumerated() {
        line.arrive()
        Self.wait(delays.number(below: Self.longestDelay(number)))
        await body(round, index)
      }
    }
  }

  /// Returns the bound of a round's delays. Short delays expose races within a few instructions,
  /// long ones races of whole operations.
  private static func longestDelay(_ round: Int) -> Int { [8, 64, 256][round % 3] }

  private func delays(of thread: Int) -> SplitMix64 {
    SplitMix64(seed: seed ^ UInt64(thread) &* 0x9E37_79B9_7F4A_7C15)
  }

  private static func wait(_ hints: Int) {
    for _ in 0..<hints { spinHint() }
  }
}

/// A barrier before each round, so that the threads start the round almost simultaneously.
///
/// A waiting thread spins for a while, and then yields. If there are more threads than cores, it
/// yields almost immediately.
final class StartLine: Sendable {
  private let threadCount: Int
  private let spins: Int
  private let arrivals = Synchronization.Atomic<Int>(0)
  private let generation = Synchronization.Atomic<Int>(0)

  init(threadCount: Int) {
    self.threadCount = threadCount
    spins = threadCount <= Host.usableCores ? 4096 : 16
  }

  /// Returns when all threads have arrived.
  func arrive() {
    // Relaxed: no other thread advances the generation before this thread arrives.
    let mine = generation.load(ordering: .relaxed)
    // Acquiring and releasing, paired with itself: the last thread sees all writes that the others
    // made before their arrival.
    if arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == threadCount {
      // Relaxed: published by the store below.
      arrivals.store(0, ordering: .relaxed)
      // Releasing: pairs with the acquiring loads below.
      generation.store(mine + 1, ordering: .releasing)
      return
    }
    var left = spins
    // Acquiring: pairs with the releasing store above.
    while generation.load(ordering: .acquiring) == mine {
      left -= 1
      if left > 0 { spinHint() } else { sched_yield() }
    }
  }
}

/// Returns the result of `body`; `nil` if `limit` has passed before. The body then continues, and
/// its result is discarded.
///
/// The body runs on a thread of its own, and the time starts when that thread runs. So a busy
/// thread pool does not count as a hang of the body.
///
/// - Parameters:
///   - limit: The time after which the body counts as hanging.
///   - wait: Suspends until the given time has passed; a test can wait for an event instead.
///   - progress: Returns a number that changes while the body makes progress. After each `limit`,
///     the function reads the number; if it has changed, the time starts again.
///   - body: The work.
func withDeadline<R: Sendable>(
  _ limit: Duration,
  waiting wait: @escaping @Sendable (Duration) async throws -> Void = { limit in
    try await Task.sleep(for: limit)
  },
  progress: @escaping @Sendable () -> Int = { 0 },
  _ body: @escaping @Sendable () async -> R
) async -> R? {
  await withCheckedContinuation { continuation in
    let race = Race(continuation)
    Task {
      await OwnedThreadExecutor.with(1) { threads in
        await withTaskExecutorPreference(threads[0]) {
          let sleeper = Task {
            await race.finish(nil, after: { try? await wait(limit) }, unless: progress)
          }
          race.finish(await body())
          sleeper.cancel()
        }
      }
    }
  }
}

/// Resumes a continuation with the first of several results.
private final class Race<R: Sendable>: Sendable {
  private let continuation: Monitor<CheckedContinuation<R?, Never>?>

  init(_ continuation: CheckedContinuation<R?, Never>) {
    self.continuation = Monitor(continuation)
  }

  /// Finishes with `result` after a `wait` without progress. Does nothing if the task is cancelled
  /// before.
  func finish(
    _ result: R?, after wait: @Sendable () async -> Void, unless progress: @Sendable () -> Int
  ) async {
    var last: Int?
    while last != progress() {
      last = progress()
      await wait()
      if Task.isCancelled { return }
    }
    finish(result)
  }

  func finish(_ result: R?) {
    let continuation = continuation.change { continuation in
      defer { continuation = nil }
      return continuation
    }
    continuation?.resume(returning: result)
  }
}
