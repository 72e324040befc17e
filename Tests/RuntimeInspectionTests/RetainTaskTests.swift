import RuntimeInspection
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
struct RetainTaskTests {
  /// Searches until there is a path, because the task may not have suspended yet.
  private func path(to holder: Holder) async -> RetainPath? {
    let search = RetainSearch(timeout: .seconds(60))
    let deadline = ContinuousClock.now + .seconds(600)
    while ContinuousClock.now < deadline {
      if let path = search.find(holder).path { return path }
      await Task.yield()
    }
    return nil
  }

  @Test func `a running task that its object stores is found as the holder`() async throws {
    let holder = Holder()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    holder.task = Task {
      for await number in stream { holder.count += number }
    }
    let path = try #require(await path(to: holder))
    #expect(path.origin == .runningTask)
    #expect(path.isProbable)
    #expect(path.nodes[1].typeName == "task")
    #expect(path.edges[0] == RetainPath.Edge(label: ".task", isPayload: true))
    #expect(path.edges[1] == RetainPath.Edge(label: "frame of a task", isProbable: true))
    continuation.finish()
    await holder.task?.value
    let found = findPatiently(holder)
    #expect(found.isNone, "a finished task holds: \(found)")
  }

  @Test func `a certain cycle is reported rather than a running task`() async throws {
    let holder = Holder()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    holder.task = Task {
      for await number in stream { holder.count += number }
    }
    _ = try #require(await path(to: holder))
    holder.object = holder
    let path = try #require(await path(to: holder))
    #expect(path.origin == .cycle)
    #expect(!path.isProbable)
    holder.breakCycles()
    continuation.finish()
  }

  @Test func `a running task that is not stored is found as the holder`() async throws {
    let holder = Holder()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let task = Task {
      for await number in stream { holder.count += number }
    }
    let path = try #require(await path(to: holder))
    #expect(path.origin == .runningTask)
    #expect(path.isProbable)
    #expect(path.nodes[0].typeName == "task")
    #expect(path.edges[0].label == "frame of a task")
    continuation.finish()
    await task.value
  }

  @Test func `a task that waits for a continuation is found as the holder`() async throws {
    let holder = Holder()
    let never = Mutex<UnsafeContinuation<Void, Never>?>(nil)
    let task = Task {
      await withUnsafeContinuation { waiting in never.withLock { $0 = waiting } }
      holder.count += 1
    }
    let path = try #require(await path(to: holder))
    #expect(path.origin == .runningTask)
    while never.withLock({ $0 }) == nil { await Task.yield() }
    never.withLock { $0 }?.resume()
    await task.value
  }

  @Test func `a task that has not started is found as the holder`() async throws {
    let holder = Holder()
    let executor = WaitingExecutor()
    let step = holder.count + 1
    let task = Task(executorPreference: executor) { holder.count += step }
    let path = try #require(await path(to: holder))
    #expect(path.origin == .runningTask)
    executor.runAll()
    await task.value
  }

  @Test func `a task that retains an object only within a round does not hold it between rounds`()
    async
  {
    let holder = Holder()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    // Relaxed: the count orders no other memory.
    let rounds = Atomic(0)
    holder.task = Task { [weak holder] in
      for await number in stream {
        guard let holder else { return }
        holder.count += number
        rounds.add(1, ordering: .relaxed)
      }
    }
    continuation.yield(1)
    while rounds.load(ordering: .relaxed) < 1 { await Task.yield() }
    var found = findPatiently(holder)
    let deadline = ContinuousClock.now + .seconds(600)
    while !found.isNone, ContinuousClock.now < deadline {
      await Task.yield()
      found = findPatiently(holder)
    }
    #expect(found.isNone, "\(found)")
    continuation.finish()
    await holder.task?.value
    holder.breakCycles()
  }

  @Test func `the path through an actor is found`() async throws {
    let holder = Holder()
    let worker = Worker()
    await worker.hold(holder)
    holder.object = worker
    let path = try #require(findPatiently(holder).path)
    #expect(path.origin == .cycle)
    #expect(path.edges.map(\.label) == [".object", ".holder"])
    #expect(path.nodes[1].typeName == String(reflecting: Worker.self))
    holder.breakCycles()
  }

  @Test func `the task that searches is not found as a holder`() async {
    let holder = Holder()
    let found = findPatiently(holder)
    await Task.yield()
    holder.count += 1
    #expect(found.isNone, "\(found)")
  }
}

/// An executor that runs its jobs in `runAll()`.
final class WaitingExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the jobs, and those that are enqueued meanwhile.
  func runAll() {
    while let job = jobs.withLock({ $0.popLast() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
