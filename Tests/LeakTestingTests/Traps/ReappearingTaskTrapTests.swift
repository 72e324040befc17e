import LeakMonitoring
import LeakTesting
import Testing

/// The second appearance drops the first task, which goes on, and nobody can cancel it any more.
@MainActor
final class BrokenFeed {
  private(set) var items: [String] = []
  private var task: Task<Void, Never>?

  func appear(_ stream: AsyncStream<String>) {
    task = Task {
      for await item in stream { items.append(item) }
    }
  }

  func disappear() { task?.cancel() }
}

@MainActor
final class FixedFeed {
  private(set) var items: [String] = []
  private let tasks = TaskStore<String>()

  func appear(_ stream: AsyncStream<String>) {
    tasks.replace(
      "observe",
      with: Task {
        for await item in stream { items.append(item) }
      })
  }

  func disappear() { tasks.cancelAll() }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct ReappearingTaskTrapTests {
  private let first = AsyncStream.makeStream(of: String.self)
  private let second = AsyncStream.makeStream(of: String.self)

  @Test func `3.6 a task that is overwritten on a second appearance is reported`() async {
    let leak = await reportedLeak {
      let feed = BrokenFeed()
      feed.appear(first.stream)
      first.continuation.yield("hello")
      while feed.items.isEmpty { await Task.yield() }
      feed.appear(second.stream)
      feed.disappear()
      return feed
    } mend: { _ in
      first.continuation.finish()
    }
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks(grace: .seconds(60)))
  func `3.6 one that is cancelled by its successor is not`() async {
    let feed = track(FixedFeed())
    feed.appear(first.stream)
    first.continuation.yield("hello")
    while feed.items.isEmpty { await Task.yield() }
    feed.appear(second.stream)
    feed.disappear()
  }
}
