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
