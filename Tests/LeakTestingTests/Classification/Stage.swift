import WeakCollections

/// Runs what is isolated to it when it is told to: for releases that come late for certain.
@globalActor
actor Stage {
  static let shared = Stage()
  static let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.executor.asUnownedSerialExecutor()
  }
}

/// Keeps its jobs until they are asked for.
final class HeldExecutor: SerialExecutor {
  private let jobs = MutexLock<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.write { $0.append(job) }
  }

  /// Runs what has come; returns how much that was.
  @discardableResult
  func run() -> Int {
    let due = jobs.write { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in due { job.runSynchronously(on: asUnownedSerialExecutor()) }
    return due.count
  }
}
