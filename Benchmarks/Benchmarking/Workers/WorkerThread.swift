import Primitives
import WeakCollections

/// One thread of the operating system that runs whatever tasks prefer it, and nothing else.
///
/// The benchmark owns its threads, the same for every contestant: a pool would choose for itself how
/// many there are and when they start.
final class WorkerThread: TaskExecutor {
  private struct Inbox {
    var jobs: [UnownedJob] = []
    var isClosed = false
  }

  private let inbox = MutexLock(Inbox())
  private let changes = EventCounter()

  /// Starts `count` threads, runs `body` with them, and joins them.
  static func with<R>(_ count: Int, _ body: ([WorkerThread]) async throws -> R) async rethrows -> R
  {
    let workers = (0..<count).map { _ in WorkerThread() }
    let threads = workers.map { worker in OwnedThread { worker.runJobs() } }
    defer {
      for worker in workers { worker.close() }
      for thread in threads { thread.join() }
    }
    return try await body(workers)
  }

  private init() {
    inbox.write { $0.jobs.reserveCapacity(16) }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    inbox.write { $0.jobs.append(job) }
    changes.signal()
  }

  private func close() {
    inbox.write { $0.isClosed = true }
    changes.signal()
  }

  private func runJobs() {
    while true {
      let ticket = changes.ticket()
      let (job, isClosed) = inbox.write { inbox in
        (inbox.jobs.isEmpty ? nil : inbox.jobs.removeFirst(), inbox.isClosed)
      }
      if let job {
        job.runSynchronously(on: asUnownedTaskExecutor())
      } else if isClosed {
        return
      } else {
        changes.wait(for: ticket)
      }
    }
  }
}
