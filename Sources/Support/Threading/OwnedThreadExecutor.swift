/// An executor that is one owned thread, which runs whatever tasks prefer it, and nothing else.
///
/// Such a task may block and disturbs nobody. The benchmark runs every contestant on these: a pool
/// would choose for itself how many threads there are and when they start.
package final class OwnedThreadExecutor: TaskExecutor {
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var isClosed = false
  }

  private enum Next {
    case job(UnownedJob)
    case end
  }

  private let inbox = Monitor(Inbox())

  /// Starts `count` threads, runs `body` with them, and joins them.
  package static func with<R>(
    _ count: Int, _ body: ([OwnedThreadExecutor]) async throws -> R
  ) async rethrows -> R {
    let executors = (0..<count).map { _ in OwnedThreadExecutor() }
    let threads = executors.map { executor in OwnedThread { executor.runJobs() } }
    defer {
      for executor in executors { executor.close() }
      for thread in threads { thread.join() }
    }
    return try await body(executors)
  }

  private init() {
    inbox.change { $0.jobs.reserveCapacity(16) }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    inbox.change { $0.jobs.append(job) }
  }

  private func close() {
    inbox.change { $0.isClosed = true }
  }

  private func runJobs() {
    while case .job(let job) = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> Next {
    inbox.wait { inbox in
      if !inbox.jobs.isEmpty { return .job(inbox.jobs.removeFirst()) }
      return inbox.isClosed ? .end : nil
    }
  }
}
