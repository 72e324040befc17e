import Primitives

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// An operating system thread that its creator owns and that may block.
///
/// The creator must either join or detach it, once.
// @unchecked: immutable; any thread may use a `pthread_t`.
package final class OwnedThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body`.
  ///
  /// Traps if the system cannot create another thread.
  package init(_ body: @escaping @Sendable () -> Void) {
    handle = Self.start(body)
  }

  /// Blocks until the thread has ended, including its thread-exit handlers.
  ///
  /// - Precondition: Nobody has joined or detached the thread.
  package func join() {
    let status = pthread_join(handle, nil)
    guard status == 0 else {
      fatalError("pthread_join failed with error \(status); join or detach a thread only once")
    }
  }

  /// Lets other threads run before the calling one continues, to make a race more likely.
  package static func yieldProcessor() { sched_yield() }

  /// Detaches the thread: nobody joins it, and the system frees it when it ends.
  package func detach() { pthread_detach(handle) }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    let thread = UnsafeMutablePointer<Handle>.allocate(capacity: 1)
    defer { thread.deallocate() }
    let status = pthread_create(thread, nil, runBody, context)
    guard status == 0 else {
      fatalError("pthread_create failed with error \(status); use fewer threads or raise ulimit")
    }
    #if canImport(Darwin)
      return thread.pointee!
    #else
      return thread.pointee
    #endif
  }

  // A function of its own, so that it releases the body before the thread-exit handlers run.
  fileprivate static func run(_ context: UnsafeMutableRawPointer) {
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  }
}

#if canImport(Darwin)
  private typealias Handle = pthread_t?

  private func runBody(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    OwnedThread.run(context)
    return nil
  }
#else
  private typealias Handle = pthread_t

  private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    OwnedThread.run(context!)
    return nil
  }
#endif

/// A task executor with a single owned thread, which runs only the tasks that prefer it.
///
/// Such a task may block without delaying other tasks. The benchmark runs every contender on these
/// executors: a thread pool would choose the number of threads and their start itself.
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

  /// Starts `count` executors with a thread each, runs `body` with them, and joins the threads.
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

  /// Runs `body` in a task on a new thread, and returns when it ends or when `limit` has passed.
  ///
  /// At the limit the task and its thread are abandoned: they continue, and nobody joins them. The
  /// caller can report code that blocks indefinitely.
  ///
  /// - Parameters:
  ///   - limit: The time limit.
  ///   - wait: Suspends until the limit has passed. A test can wait for an event instead, so that
  ///     a busy machine does not abandon the task before it blocks.
  ///   - body: The work.
  /// - Returns: Whether `body` ended in time.
  package static func run(
    within limit: Duration,
    waiting wait: @escaping @Sendable (Duration) async throws -> Void = { limit in
      try await Task.sleep(for: limit)
    },
    _ body: @escaping @Sendable () async -> Void
  ) async -> Bool {
    let executor = OwnedThreadExecutor()
    OwnedThread { executor.runJobs() }.detach()
    return await withCheckedContinuation { continuation in
      let waiting = Monitor<CheckedContinuation<Bool, Never>?>(continuation)
      @Sendable func resume(returning isInTime: Bool) {
        waiting.change { $0.take() }?.resume(returning: isInTime)
      }
      let timer = Task {
        try await wait(limit)
        resume(returning: false)
      }
      Task(executorPreference: executor) {
        await body()
        timer.cancel()
        executor.close()
        resume(returning: true)
      }
    }
  }

  private init() {
    inbox.change { $0.jobs.reserveCapacity(16) }
  }

  /// Appends `job` to the jobs of this thread.
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

/// Runs `body` on a new thread and returns its result after the thread has ended.
package func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await onOwnThreads(1) { _ in body() }[0]
}

/// Runs `body` on `count` new threads and returns their results after all threads have ended.
///
/// - Parameters:
///   - count: The number of threads. All are created before any of them calls `body`.
///   - body: The work; its argument is the index of the thread.
/// - Returns: The results in the order of the indices.
package func onOwnThreads<R: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) -> R
) async -> [R] {
  await withCheckedContinuation { continuation in
    // Another thread joins the new ones: joining blocks, and the caller may run on the cooperative
    // pool.
    OwnedThread { continuation.resume(returning: joinOwnThreads(count, body)) }.detach()
  }
}

/// Runs `body` on `count` new threads, as `onOwnThreads` does, and blocks the caller until all
/// threads have ended.
package func joinOwnThreads<R: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) -> R
) -> [R] {
  let results = Results<R>(count: count)
  let start = Gate()
  let threads = (0..<count).map { index in
    OwnedThread {
      start.wait()
      results[index] = body(index)
    }
  }
  start.open()
  for thread in threads { thread.join() }
  return results.all
}

/// Runs `body` in `count` tasks, each on a new thread, and returns their results after all threads
/// have ended.
///
/// The tasks start together. Use it for code that must work with backends that suspend and with
/// backends that do not.
package func inOwnThreadTasks<R: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) async -> R
) async -> [R] {
  await OwnedThreadExecutor.with(count) { executors in
    let arrivals = Rendezvous(count: count)
    return await withTaskGroup(of: (Int, R).self) { group in
      for (index, executor) in executors.enumerated() {
        group.addTask(executorPreference: executor) {
          arrivals.arrive()
          return (index, await body(index))
        }
      }
      let results = await group.reduce(into: [Int: R]()) { $0[$1.0] = $1.1 }
      return (0..<count).map { results[$0]! }
    }
  }
}

// @unchecked: each thread writes its own element, and the join orders the write before the read.
private final class Results<R>: @unchecked Sendable {
  private let places: UnsafeMutableBufferPointer<R?>

  init(count: Int) {
    places = .allocate(capacity: count)
    places.initialize(repeating: nil)
  }

  deinit {
    places.deinitialize()
    places.deallocate()
  }

  subscript(index: Int) -> R? {
    get { places[index] }
    set { places[index] = newValue }
  }

  var all: [R] { places.map { $0! } }
}

/// A thread that enters a scope, such as a pin or a lock, and stays there until a test ends its
/// stay.
package final class PinnedThread: Sendable {
  /// The thread's number, as debuggers and `/proc` show it.
  package let threadNumber: UInt64

  private let hasEntered = Gate()
  private let mayLeave = Gate()
  private let hasLeft = Gate()
  private let mayEnd = Gate()
  private let thread: OwnedThread

  /// Starts a thread that runs `scope`, and returns when the thread is inside the scope.
  ///
  /// - Parameter scope: Enters the scope, calls `stay`, and leaves the scope after `stay` returns.
  package init(of scope: @escaping @Sendable (_ stay: () -> Void) -> Void) {
    let number = Number()
    thread = OwnedThread { [hasEntered, mayLeave, hasLeft, mayEnd] in
      number.value.store(CurrentThread.number, ordering: .relaxed)  // Relaxed: the gate orders it.
      scope {
        hasEntered.open()
        mayLeave.wait()
      }
      hasLeft.open()
      mayEnd.wait()
    }
    hasEntered.wait()
    threadNumber = number.value.load(ordering: .relaxed)  // Relaxed: as above.
  }

  /// Makes the thread leave the scope; returns when it has left.
  package func leave() {
    mayLeave.open()
    hasLeft.wait()
  }

  /// Makes the thread leave the scope if necessary, and end; returns when it has ended.
  package func end() {
    mayLeave.open()
    mayEnd.open()
    thread.join()
  }

  private final class Number: Sendable {
    let value = Atomic<UInt64>(0)
  }
}
