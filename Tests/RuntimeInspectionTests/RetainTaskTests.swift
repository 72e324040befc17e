import RuntimeInspection
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
struct RetainTaskTests {
  /// Asks until there is a path: a task that has been told to wait does not do so at once.
  private func path(to holder: Holder) async -> RetainPath? {
    let search = RetainSearch(timeout: .seconds(10))
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if let path = search.find(holder).path { return path }
      await Task.yield()
    }
    return nil
  }

  @Test func `an object is found to be held by the task that it stores`() async throws {
    let holder = Holder()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    holder.task = Task {
      for await number in stream { holder.count += number }
    }
    let path = try #require(await path(to: holder))
    #expect(path.origin == .runningTask)
    #expect(path.isProbable)
    #expect(path.nodes[1].typeName == "task")
    #expect(path.edges[0] == RetainPath.Edge(label: ".task"))
    #expect(path.edges[1] == RetainPath.Edge(label: "frame of a task", isProbable: true))
    continuation.finish()
    await holder.task?.value
    let found = findPatiently(holder)
    #expect(found.isNone, "a finished task holds: \(found)")
  }

  @Test func `a cycle that is certain is told before the task that runs`() async throws {
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
    holder.letGo()
    continuation.finish()
  }

  @Test func `an object is found to be held by a task that nobody stored`() async throws {
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

  @Test func `an object is found to be held by a task that waits for what never comes`()
    async throws
  {
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

  @Test func `an object is found to be held by a task that has not begun`() async throws {
    let holder = Holder()
    let executor = WaitingExecutor()
    let step = holder.count + 1
    let task = Task(executorPreference: executor) { holder.count += step }
    let path = try #require(await path(to: holder))
    #expect(path.origin == .runningTask)
    executor.runAll()
    await task.value
  }

  @Test func `an object that a task holds only within each round is not held between them`()
    async
  {
    let holder = Holder()
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    // Relaxed: it says that a round was made, and guards nothing.
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
    let deadline = ContinuousClock.now + .seconds(60)
    while !found.isNone, ContinuousClock.now < deadline {
      await Task.yield()
      found = findPatiently(holder)
    }
    #expect(found.isNone, "\(found)")
    continuation.finish()
    await holder.task?.value
    holder.letGo()
  }

  @Test func `an object that an actor holds is found from the actor`() async throws {
    let holder = Holder()
    let worker = Worker()
    await worker.hold(holder)
    holder.object = worker
    let path = try #require(findPatiently(holder).path)
    #expect(path.origin == .cycle)
    #expect(path.edges.map(\.label) == [".object", ".holder"])
    #expect(path.nodes[1].typeName == String(reflecting: Worker.self))
    holder.letGo()
  }

  @Test func `the task that asks is not what holds an object`() async {
    let holder = Holder()
    let found = findPatiently(holder)
    await Task.yield()
    holder.count += 1
    #expect(found.isNone, "\(found)")
  }
}

/// Runs nothing until it is told to.
final class WaitingExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// What is enqueued meanwhile is run as well, at once if it comes from elsewhere.
  func runAll() {
    while let job = jobs.withLock({ $0.popLast() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
