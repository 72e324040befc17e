import LeakMonitoring
import Testing
import WeakCollections

@Suite(.timeLimit(.minutes(10)))
struct TaskStoreTests {
  @Test func `3.5 a task that replaces another cancels it`() async {
    let store = TaskStore<String>()
    let first = store.replace("load", with: Task { try await forever() })
    let second = store.replace("load", with: Task { try await forever() })
    #expect(first.isCancelled && !second.isCancelled)
    #expect(await first.result.isCancelled)
    #expect(store.count == 1)
    store.cancelAll()
    #expect(await second.result.isCancelled)
  }

  @Test func `3.5 tasks of other keys run on`() async {
    let store = TaskStore<Int>()
    let tasks = (0..<3).map { key in store.replace(key, with: Task { try await forever() }) }
    store.cancel(1)
    store.cancel(7)
    #expect(tasks.map(\.isCancelled) == [false, true, false])
    store.cancelAll()
    #expect(tasks.allSatisfy(\.isCancelled) && store.count == 0)
    for task in tasks { _ = await task.result }
  }

  @Test func `3.4 a store cancels when it is released`() async {
    var store: TaskStore<String>? = TaskStore()
    let task = store!.replace("load", with: Task { try await forever() })
    store = nil
    #expect(await task.result.isCancelled)
  }

  @Test func `a task may replace itself`() async {
    let store = TaskStore<String>()
    let next = Task { try await forever() }
    let task = Task { _ = store.replace("load", with: next) }
    store.replace("load", with: task)
    await task.value
    store.replace("load", with: Task {})
    next.cancel()
    _ = await next.result
  }
}
