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

/// A thread of the operating system that its maker owns, and may block.
///
/// To be joined or detached, once.
// @unchecked: immutable; a handle may be used by any thread.
package final class OwnedThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts `body`.
  package init(_ body: @escaping @Sendable () -> Void) {
    handle = Self.start(body)
  }

  /// Returns when the thread has ended, its thread-exit handlers included.
  package func join() {
    let status = pthread_join(handle, nil)
    precondition(status == 0, "a thread is joined once")
  }

  /// Lets the thread end unattended; instead of joining it.
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
    precondition(status == 0, "the system has room for another thread")
    #if canImport(Darwin)
      return thread.pointee!
    #else
      return thread.pointee
    #endif
  }

  // In a function of its own, so that nothing of the body lives on while the thread ends.
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

/// Runs `body` on a thread of its own and returns what it returns, once the thread has ended.
package func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await onOwnThreads(1) { _ in body() }[0]
}

/// Runs `body` on `count` threads of their own, which begin together, and returns what each returned,
/// once all have ended.
package func onOwnThreads<R: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) -> R
) async -> [R] {
  await withCheckedContinuation { continuation in
    // One more thread joins the others: joining blocks, and the caller's thread may be a cooperative one.
    OwnedThread { continuation.resume(returning: joinOwnThreads(count, body)) }.detach()
  }
}

/// Runs `body` on `count` threads of their own, which begin together, and returns what each returned,
/// once all have ended; blocks the caller until then.
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

/// Runs `body` in `count` tasks, each on a thread of its own, which begin together; returns what each
/// returned, once all threads have ended.
///
/// For code that is the same for backends which suspend and which do not.
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

// @unchecked: each thread writes its own place, and joining it orders that before the reading.
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

/// A thread that stays inside a scope, such as a pin or a lock, until it is told to leave it, and ends
/// when it is told to.
package final class Occupant: Sendable {
  /// As debuggers and procfs show the thread.
  package let threadNumber: UInt64

  private let hasEntered = Gate()
  private let mayLeave = Gate()
  private let hasLeft = Gate()
  private let mayEnd = Gate()
  private let thread: OwnedThread

  /// Returns once `scope`, on the new thread, has called what it is given, which returns when the
  /// occupant may leave.
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

  /// Returns when the thread is outside the scope.
  package func leave() {
    mayLeave.open()
    hasLeft.wait()
  }

  /// Returns when the thread has ended.
  package func end() {
    mayLeave.open()
    mayEnd.open()
    thread.join()
  }

  private final class Number: Sendable {
    let value = Atomic<UInt64>(0)
  }
}
