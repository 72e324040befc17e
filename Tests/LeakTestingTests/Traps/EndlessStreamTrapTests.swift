import LeakTesting
import Testing

/// The task holds the chat for as long as the stream goes on. To cancel it in `deinit` cannot help: that is only
/// called when the task is gone.
@MainActor
final class BrokenChat {
  private(set) var lines: [String] = []
  private(set) var task: Task<Void, Never>?

  func appear(_ stream: AsyncStream<String>) {
    task = Task {
      for await line in stream { lines.append(line) }
    }
  }

  deinit { task?.cancel() }
}

/// Whoever shows the chat says when it is no longer seen.
@MainActor
final class FixedChat {
  private(set) var lines: [String] = []
  private var task: Task<Void, Never>?

  func appear(_ stream: AsyncStream<String>) {
    task = Task {
      for await line in stream { lines.append(line) }
    }
  }

  func disappear() { task?.cancel() }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct EndlessStreamTrapTests {
  private let lines = AsyncStream.makeStream(of: String.self)

  @Test func `3.6 an endless stream that nobody cancels is reported`() async {
    let leak = await reportedLeak {
      let chat = BrokenChat()
      chat.appear(lines.stream)
      lines.continuation.yield("hello")
      while chat.lines.isEmpty { await Task.yield() }
      return chat
    } mend: { chat in
      chat.task?.cancel()
      await chat.task?.value
    }
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks(grace: .seconds(60)))
  func `3.6 one that is cancelled when the chat disappears is not`() async {
    let chat = track(FixedChat())
    chat.appear(lines.stream)
    lines.continuation.yield("hello")
    while chat.lines.isEmpty { await Task.yield() }
    chat.disappear()
  }
}
