import Threading

/// What runs the workers of a trial.
///
/// | Driver | Workers | What of them is known |
/// |---|---|---|
/// | `threads` | each has a thread of its own and keeps it | everything |
/// | `gcd` | blocks on one concurrent queue of Dispatch | operations and latency |
/// | `tasks` | tasks on the global executor of Swift | operations and latency |
///
/// Dispatch and Swift have about as many threads as cores, however many workers there are. On those a
/// worker must not wait for another: who would have to come may be behind it in the queue. So nobody
/// does, see `CommonWindow`; and a worker hands its thread on after a turn, see `TimingLoop.runInTurns`,
/// since else those behind it would never begin.
public enum Driver: String, CaseIterable, Hashable, Codable, Sendable {
  case threads
  case gcd
  case tasks

  /// Whether a worker's thread is its own, so that what the thread has used is the worker's use.
  var ownsThreads: Bool { self == .threads }

  /// Runs `body` with an executor for each of `count` workers.
  func withExecutors<R>(
    _ count: Int, _ body: ([any TaskExecutor]) async throws -> R
  ) async rethrows -> R {
    switch self {
    case .threads:
      try await OwnedThreadExecutor.with(count) { threads in try await body(threads) }
    case .gcd:
      try await body(Array(repeating: QueueExecutor(), count: count))
    case .tasks:
      try await body(Array(repeating: globalConcurrentExecutor, count: count))
    }
  }
}
