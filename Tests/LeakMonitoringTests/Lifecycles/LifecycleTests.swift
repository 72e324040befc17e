import Testing
import WeakCollections

@testable import LeakMonitoring

/// A screen that runs a task while it is visible; the task retains it.
@MainActor
private final class Screen: @MainActor Lifecycle {
  let tasks = TaskStore<String>()
  var isClosing = false
  private(set) var log: [String] = []
  private(set) var started: [Task<Void, any Error>] = []
  private let work: @Sendable () async throws -> Void

  init(_ work: @escaping @Sendable () async throws -> Void = forever) { self.work = work }

  func didAppear() {
    log.append("appeared")
    let task = Task { [work] in
      try await work()
      log.append("worked")
    }
    started.append(tasks.replace("observe", with: task))
  }

  func didDisappear() {
    log.append("disappeared, \(started.last?.isCancelled == true ? "late" : "before its tasks")")
  }
}

/// The published mistake: a second appearance overwrites the property of the task.
@MainActor
private final class OverwritingScreen {
  private var task: Task<Void, any Error>?
  private(set) var started: [Task<Void, any Error>] = []

  func appear() {
    task = Task { [self] in
      try await forever()
      withExtendedLifetime(self) {}
    }
    started.append(task!)
  }

  func disappear() { task?.cancel() }
}

private final class Plain: Lifecycle {
  let tasks = TaskStore<Int>()
  let isClosing = true
}

@Suite(.timeLimit(.minutes(10))) @MainActor
struct LifecycleTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `3.5 disappearing cancels the task, which releases the screen`() async {
    let reference: WeakReference<Screen>
    let started: [Task<Void, any Error>]
    do {
      let screen = Screen()
      reference = WeakReference(screen)
      screen.appear()
      screen.disappear()
      #expect(screen.log == ["appeared", "disappeared, before its tasks"])
      started = screen.started
    }
    for task in started { #expect(await task.result.isCancelled) }
    #expect(await isGone(reference))
  }

  @Test func `3.6 an endless task retains a screen that never disappears`() async {
    let reference: WeakReference<Screen>
    do {
      let screen = Screen()
      reference = WeakReference(screen)
      screen.appear()
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(reference.promote() != nil)
    reference.promote()?.disappear()
    #expect(await isGone(reference))
  }

  @Test func `3.6 a screen that appears again cancels its earlier task`() async {
    let screen = Screen()
    screen.appear()
    screen.appear()
    #expect(screen.started.map(\.isCancelled) == [true, false])
    screen.disappear()
    for task in screen.started { #expect(await task.result.isCancelled) }
  }

  @Test
  func `3.6 a screen that overwrites its task when it appears again leaves the first running`()
    async
  {
    let screen = OverwritingScreen()
    screen.appear()
    screen.appear()
    screen.disappear()
    #expect(screen.started.map(\.isCancelled) == [false, true])
    screen.started[0].cancel()
    for task in screen.started { #expect(await task.result.isCancelled) }
  }

  @Test func `2.8 a screen that closes and survives is reported, a covered one is not`()
    async throws
  {
    try await MemoryLeakMonitor.withIsolation(in: monitor) {
      let screen = Screen {}
      screen.appear()
      #expect(screen.disappear() == nil)
      screen.appear()
      screen.isClosing = true
      let line: UInt = #line + 1
      #expect(screen.disappear() != nil)
      await clock.tick(20)
      await monitor.settle()
      let leak = try #require(leaks.all.first)
      #expect(leaks.all.count == 1 && leak.finding == .survivor(after: .seconds(2)))
      #expect(leak.site.line == line)
      withExtendedLifetime(screen) {}
    }
  }

  @Test func `3.6 a screen is reported if its task ignores cancellation and retains it`() async {
    let (stream, end) = AsyncStream.makeStream(of: Never.self)
    let started = MemoryLeakMonitor.withIsolation(in: monitor) {
      let screen = Screen {
        // The cancellation of the waiting task does not reach a detached task.
        await Task.detached { for await _ in stream {} }.value
      }
      screen.isClosing = true
      screen.appear()
      screen.disappear(expectedGoneAfter: .zero)
      return screen.started
    }
    await clock.tick(20)
    await monitor.settle()
    #expect(leaks.all.map(\.description) == ["Screen"])
    end.finish()
    for task in started { _ = await task.result }
    await clock.tick()
    #expect(await leaks.first(2).map(\.state) == [.leaked, .late])
  }

  @Test func `a type needs no methods of its own to conform`() async {
    MemoryLeakMonitor.withIsolation(in: monitor) {
      let plain = Plain()
      plain.appear()
      plain.disappear(expectedGoneAfter: .zero)
    }
    await clock.tick()
    await monitor.settle()
    #expect(leaks.all.isEmpty)
  }

  /// Suspends until the screen is deallocated, or until the suite's time limit cancels the test.
  private func isGone(_ reference: WeakReference<Screen>) async -> Bool {
    while reference.promote() != nil && !Task.isCancelled { await Task.yield() }
    return reference.promote() == nil
  }
}
