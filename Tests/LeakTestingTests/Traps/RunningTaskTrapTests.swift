import LeakTesting
import Testing

/// A task holds its owner until it ends: late, but no leak.
@MainActor
final class Upload {
  private(set) var response: String?

  func start(_ server: SlowServer) {
    Task { response = try await server.response() }
  }
}

/// Its task holds the profile until the server has responded, so that `deinit` cannot cancel it.
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

/// The task has what it needs, and the profile only when it is there. So `deinit` may cancel it, where the work is not
/// to go on.
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
  func `3.1 what a task holds until it ends, in its grace, is no leak`() async {
    track(Upload()).start(server)
    Task { server.respond() }
  }

  @Test func `3.3 what a task needs of its owner, which it so holds, is reported`() async {
    let leak = await reportedLeak {
      let profile = BrokenProfile(server)
      profile.save()
      await Task.yield()
      return profile
    } mend: { profile in
      server.respond()
      _ = await profile.task?.result
    }
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test func `3.3 what captures it separately lets go of it in the middle, and goes on`() async {
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

  @Test func `3.4 then its deinit can cancel it`() async {
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
