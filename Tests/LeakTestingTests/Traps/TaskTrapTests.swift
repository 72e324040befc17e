import LeakMonitoring
import LeakTesting
import Testing

/// A task retains its owner until it ends: the deallocation is late, but there is no leak.
@MainActor
final class Upload {
  private(set) var response: String?

  func start(_ server: SlowServer) {
    Task { response = try await server.response() }
  }
}

/// The task retains the profile until the server has responded, so `deinit` cannot cancel the task.
@MainActor
final class BrokenProfile {
  let server: SlowServer
  private(set) var response: String?
  private(set) var task: Task<Void, any Error>?

  init(_ server: SlowServer) { self.server = server }

  func save() {
    task = Task { [weak self] in
      guard let self else { return }
      response = try await server.response()
    }
  }

  deinit { task?.cancel() }
}

/// The task captures the server, and the profile only weakly. So `deinit` can cancel the task if
/// the work need not continue.
@MainActor
final class FixedProfile {
  let server: SlowServer
  let cancelsTask: Bool
  private(set) var response: String?
  private(set) var task: Task<String, any Error>?

  init(_ server: SlowServer, cancelsTask: Bool) {
    self.server = server
    self.cancelsTask = cancelsTask
  }

  func save() {
    task = Task { [weak self, server] in
      let response = try await server.response()
      self?.response = response
      return response
    }
  }

  deinit { if cancelsTask { task?.cancel() } }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct RunningTaskTrapTests {
  private let server = SlowServer()

  @Test(.noLeaks(grace: .seconds(60)))
  func `3.1 an object of a task that ends within the grace period is no leak`() async {
    track(Upload()).start(server)
    Task { server.respond() }
  }

  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let profile = BrokenProfile(server)
      profile.save()
      await Task.yield()
      return profile
    } endLeak: { profile in
      server.respond()
      _ = await profile.task?.result
    }
  }

  func twin() -> AnyObject {
    let profile = FixedProfile(server, cancelsTask: true)
    profile.save()
    return profile
  }

  @Test func `3.3 a task that retains its owner is reported`() async {
    let leak = await self.leak()
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test func `3.3 a task that captures only what it needs releases its owner and continues`() async
  {
    var task: Task<String, any Error>?
    await expectDeallocated(within: .seconds(60)) {
      let profile = FixedProfile(server, cancelsTask: false)
      profile.save()
      task = profile.task
      return profile
    }
    server.respond()
    #expect(await (try? task?.value) == "response")
  }

  @Test func `3.4 the deinit of an owner that its task does not retain can cancel the task`() async
  {
    var task: Task<String, any Error>?
    await expectDeallocated(within: .seconds(60)) {
      let profile = FixedProfile(server, cancelsTask: true)
      profile.save()
      task = profile.task
      return profile
    }
    await #expect(throws: CancellationError.self) { try await task?.value }
  }
}

/// `guard let self` at the top of a task retains the inbox until the task ends, and the loop of
/// this task never ends. So `deinit` is never called, and the task never cancelled.
@MainActor
final class BrokenInbox {
  private(set) var messages: [String] = []
  private(set) var task: Task<Void, Never>?

  func observe(_ stream: AsyncStream<String>) {
    task = Task { [weak self] in
      guard let self else { return }
      for await message in stream { messages.append(message) }
    }
  }

  deinit { task?.cancel() }
}

/// The task retains the inbox while it handles a message, not while it waits for the next one.
@MainActor
final class FixedInbox {
  private(set) var messages: [String] = []
  private var task: Task<Void, Never>?

  func observe(_ stream: AsyncStream<String>) {
    task = Task { [weak self] in
      for await message in stream {
        guard let self else { return }
        messages.append(message)
      }
    }
  }

  deinit { task?.cancel() }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct TaskGuardTrapTests {
  private let mail = AsyncStream.makeStream(of: String.self)

  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let inbox = BrokenInbox()
      inbox.observe(mail.stream)
      mail.continuation.yield("hello")
      while inbox.messages.isEmpty { await Task.yield() }
      return inbox
    } endLeak: { inbox in
      inbox.task?.cancel()
      await inbox.task?.value
    }
  }

  func twin() -> AnyObject {
    let inbox = FixedInbox()
    inbox.observe(mail.stream)
    return inbox
  }

  @Test func `3.2 2.20 a guard at the top of an endless task is reported`() async {
    let leak = await self.leak()
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks(grace: .seconds(60)))
  func `3.2 2.20 a guard in the loop of a task that deinit cancels is no leak`() async {
    let inbox = track(FixedInbox())
    inbox.observe(mail.stream)
    mail.continuation.yield("hello")
    while inbox.messages.isEmpty { await Task.yield() }
  }
}

/// A second appearance overwrites the first task, which continues and can no longer be cancelled.
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

  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let feed = BrokenFeed()
      feed.appear(first.stream)
      first.continuation.yield("hello")
      while feed.items.isEmpty { await Task.yield() }
      feed.appear(second.stream)
      feed.disappear()
      return feed
    } endLeak: { _ in
      first.continuation.finish()
    }
  }

  func twin() -> AnyObject {
    let feed = FixedFeed()
    feed.appear(first.stream)
    feed.disappear()
    return feed
  }

  @Test func `3.6 a task that is overwritten on a second appearance is reported`() async {
    let leak = await self.leak()
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks(grace: .seconds(60)))
  func `3.6 a task that is cancelled by a second appearance is no leak`() async {
    let feed = track(FixedFeed())
    feed.appear(first.stream)
    first.continuation.yield("hello")
    while feed.items.isEmpty { await Task.yield() }
    feed.appear(second.stream)
    feed.disappear()
  }
}

/// A task that is cancelled when its screen disappears throws, ends and releases the screen. So the
/// code for errors runs once more.
@MainActor
final class ArticleScreen {
  private(set) var text: String?
  private(set) var errorText: String?
  private(set) var task: Task<Void, Never>?

  func appear(_ server: SlowServer) {
    task = Task {
      do {
        text = try await server.response()
      } catch is CancellationError {
        // The screen has disappeared, which is no error for the user.
      } catch {
        errorText = "\(error)"
      }
    }
  }

  func disappear() { task?.cancel() }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct DisappearingTaskTrapTests {
  private let server = SlowServer()

  @Test(.noLeaks(grace: .seconds(60)))
  func `3.5 a task that is cancelled when its screen disappears releases the screen`() async {
    let screen = track(ArticleScreen())
    screen.appear(server)
    screen.disappear()
    await screen.task?.value
    #expect(screen.text == nil && screen.errorText == nil)
  }

  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let screen = ArticleScreen()
      screen.appear(server)
      await Task.yield()
      return screen
    } endLeak: { screen in
      screen.disappear()
      await screen.task?.value
    }
  }

  func twin() -> AnyObject {
    let screen = ArticleScreen()
    screen.appear(server)
    screen.disappear()
    return screen
  }

  @Test func `3.5 a task that is not cancelled when its screen disappears is reported`() async {
    let leak = await self.leak()
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }
}

/// Child tasks end before the function that awaits them returns, so they retain nothing after it.
actor Gallery {
  private(set) var thumbnails: [Int] = []

  func loadBoth() async {
    async let first = thumbnail(1)
    async let second = thumbnail(2)
    await thumbnails += [first, second]
  }

  func loadAll() async {
    await withTaskGroup(of: Int.self) { group in
      for number in 1...3 { group.addTask { await self.thumbnail(number) } }
      for await thumbnail in group { thumbnails.append(thumbnail) }
    }
  }

  func loadEach() async {
    await withDiscardingTaskGroup { group in
      for number in 1...100 { group.addTask { await self.add(number) } }
    }
  }

  private func add(_ number: Int) { thumbnails.append(number) }

  private func thumbnail(_ number: Int) async -> Int {
    await Task.yield()
    return number
  }
}

/// The other threads may release a child task late.
@Suite(.noLeaks(grace: .seconds(60))) struct StructuredTaskTests {
  private let gallery = track(Gallery())

  @Test func `2.20 child tasks of async let are no leak`() async {
    await gallery.loadBoth()
    #expect(await gallery.thumbnails == [1, 2])
  }

  @Test func `2.20 child tasks of a group are no leak`() async {
    await gallery.loadAll()
    #expect(await gallery.thumbnails.sorted() == [1, 2, 3])
  }

  @Test func `2.20 child tasks of a discarding group are no leak`() async {
    await gallery.loadEach()
    #expect(await gallery.thumbnails.count == 100)
  }
}

/// A server that responds when the test calls `respond()`.
final class SlowServer: Sendable {
  private let silence = AsyncStream.makeStream(of: Never.self)

  /// Returns when the server responds, and throws if the task is cancelled before.
  func response() async throws -> String {
    for await _ in silence.stream {}
    try Task.checkCancellation()
    return "response"
  }

  func respond() { silence.continuation.finish() }
}
