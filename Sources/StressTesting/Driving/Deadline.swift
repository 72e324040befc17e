import Synchronization

/// Returns what `body` does, or nil if that takes longer than `limit`; the body then goes on unattended.
func withDeadline<R: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async -> R
) async -> R? {
  await withCheckedContinuation { continuation in
    let race = Race(continuation)
    let sleeper = Task {
      try? await Task.sleep(for: limit)
      if !Task.isCancelled { race.finish(nil) }
    }
    Task {
      race.finish(await body())
      sleeper.cancel()
    }
  }
}

/// Resumes a continuation with the first of several results.
private final class Race<R: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<R?, Never>?>

  init(_ continuation: CheckedContinuation<R?, Never>) {
    self.continuation = Mutex(continuation)
  }

  func finish(_ result: R?) {
    let continuation = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    continuation?.resume(returning: result)
  }
}
