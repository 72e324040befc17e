import LeakTesting
import Testing

/// A continuation that nobody resumes keeps its task, and the task what it captures, whether or not it is cancelled.
@MainActor
final class BrokenPrompt {
  private(set) var answer: String?
  private(set) var task: Task<Void, Never>?
  private(set) var continuation: CheckedContinuation<String?, Never>?

  func ask() {
    task = Task {
      answer = await withCheckedContinuation { continuation = $0 }
    }
  }

  func reply(_ text: String?) {
    continuation?.resume(returning: text)
    continuation = nil
  }

  func disappear() { task?.cancel() }
}

@MainActor
final class FixedPrompt {
  private(set) var answer: String?
  private(set) var task: Task<Void, Never>?
  private(set) var continuation: CheckedContinuation<String?, Never>?

  func ask() {
    task = Task {
      answer = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation = $0 }
      } onCancel: {
        Task { await reply(nil) }
      }
    }
  }

  func reply(_ text: String?) {
    continuation?.resume(returning: text)
    continuation = nil
  }

  func disappear() { task?.cancel() }
}

@Suite(.timeLimit(.minutes(10))) @MainActor struct ContinuationTrapTests {
  @Test func `2.21 a continuation that is never resumed is reported`() async {
    let leak = await reportedLeak {
      let prompt = BrokenPrompt()
      prompt.ask()
      while prompt.continuation == nil { await Task.yield() }
      prompt.disappear()
      return prompt
    } mend: { prompt in
      prompt.reply(nil)
      await prompt.task?.value
    }
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks(grace: .seconds(60)))
  func `2.21 one that is resumed when its task is cancelled is not`() async {
    let prompt = track(FixedPrompt())
    prompt.ask()
    while prompt.continuation == nil { await Task.yield() }
    prompt.disappear()
  }
}
