import Synchronization
import Threading

/// Returns what `body` does, or nil if that takes longer than `limit`; the body then goes on unattended.
///
/// The body prefers a thread of its own and time runs once it is there: a pool whose threads are all
/// busy with something else is no hang of the body's.
func withDeadline<R: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async -> R
) async -> R? {
  await withCheckedContinuation { continuation in
    let race = Race(continuation)
    Task {
      await OwnedThreadExecutor.with(1) { threads in
        await withTaskExecutorPreference(threads[0]) {
          let sleeper = Task { await race.finish(nil, after: limit) }
          race.finish(await body())
          sleeper.cancel()
        }
      }
    }
  }
}

/// Resumes a continuation with the first of several results.
private final class Race<R: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<R?, Never>?>

  init(_ continuation: CheckedContinuation<R?, Never>) {
    self.continuation = Mutex(continuation)
  }

  /// Does nothing if the task is cancelled in that time.
  func finish(_ result: R?, after limit: Duration) async {
    try? await Task.sleep(for: limit)
    if !Task.isCancelled { finish(result) }
  }

  func finish(_ result: R?) {
    let continuation = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    continuation?.resume(returning: result)
  }
}
