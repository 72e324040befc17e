import LeakTesting
import Testing

/// `guard let self` at the top of a task holds the inbox until the task ends, and this one's loop never does. So the
/// task is never cancelled: `deinit` is not called.
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

/// It is held for as long as each message takes, not while the task waits for the next.
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

  @Test func `3.2 2.20 a guard at the top of an endless task is reported`() async {
    let leak = await reportedLeak {
      let inbox = BrokenInbox()
      inbox.observe(mail.stream)
      mail.continuation.yield("hello")
      while inbox.messages.isEmpty { await Task.yield() }
      return inbox
    } mend: { inbox in
      inbox.task?.cancel()
      await inbox.task?.value
    }
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks(grace: .seconds(60)))
  func `3.2 2.20 one in the loop, and a task that deinit cancels, is not`() async {
    let inbox = track(FixedInbox())
    inbox.observe(mail.stream)
    mail.continuation.yield("hello")
    while inbox.messages.isEmpty { await Task.yield() }
  }
}
