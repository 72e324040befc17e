#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// An executor that is one thread: a task which prefers it may block, and disturbs nobody.
///
/// Made of POSIX parts alone, so that ThreadSanitizer sees it.
// @unchecked: `jobs` and `isStopped` are touched under `mutex` alone.
final class OwnThreadExecutor: TaskExecutor, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [UnownedJob] = []
  private var isStopped = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    change { jobs.append(job) }
  }

  func stop() {
    change { isStopped = true }
  }

  /// Runs jobs until stopped; the body of the thread.
  func run() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func change(_ body: () -> Void) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    body()
    pthread_cond_signal(condition)
  }

  private func next() -> UnownedJob? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while jobs.isEmpty && !isStopped { pthread_cond_wait(condition, mutex) }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }
}

/// Runs `body` in `count` tasks, each on a thread of its own, which begin together; returns what each
/// returned, once all threads have ended.
///
/// For code that is the same for backends which suspend and which do not.
public func inOwnThreadTasks<R: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) async -> R
) async -> [R] {
  let executors = (0..<count).map { _ in OwnThreadExecutor() }
  let threads = executors.map { executor in OwnThread { executor.run() } }
  let arrivals = Rendezvous(count)
  let results = await withTaskGroup(of: (Int, R).self) { group in
    for (index, executor) in executors.enumerated() {
      group.addTask(executorPreference: executor) {
        arrivals.arriveAndWait()
        return (index, await body(index))
      }
    }
    return await group.reduce(into: [Int: R]()) { $0[$1.0] = $1.1 }
  }
  await onOwnThread {
    for executor in executors { executor.stop() }
    for thread in threads { thread.join() }
  }
  return (0..<count).map { results[$0]! }
}
