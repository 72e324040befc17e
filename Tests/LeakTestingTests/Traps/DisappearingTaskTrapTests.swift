import LeakTesting
import Testing

/// A task that is cancelled when its screen disappears throws, ends, and lets go of it; and so the error path runs once
/// more.
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
        // The screen has gone away: that is no error for people.
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
  func `3.5 a task that is cancelled on disappearing lets go of its screen`() async {
    let screen = track(ArticleScreen())
    screen.appear(server)
    screen.disappear()
    await screen.task?.value
    #expect(screen.text == nil && screen.errorText == nil)
  }

  @Test func `3.5 one that is not is reported`() async {
    let leak = await reportedLeak {
      let screen = ArticleScreen()
      screen.appear(server)
      await Task.yield()
      return screen
    } mend: { screen in
      screen.disappear()
      await screen.task?.value
    }
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }
}
