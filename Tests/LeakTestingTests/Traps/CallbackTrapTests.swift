import Foundation
import LeakMonitoring
import LeakTesting
import RuntimeInspection
import Testing
import WeakCollections

/// Calls again and again until it is invalidated, and until then is kept by whoever has it called:
/// as Foundation's timer is meant to be. On Linux that never lets go of its block, invalidated or
/// not, so that even the fixed one would leak it.
final class Ticker {
  private var onTick: ((Ticker) -> Void)?

  init(onTick: @escaping (Ticker) -> Void) { self.onTick = onTick }

  func tick() { onTick?(self) }
  func invalidate() { onTick = nil }
}

/// The stopwatch keeps the ticker, the ticker its closure, and the closure the stopwatch. To
/// invalidate the ticker in `deinit` does not help: that is never called.
final class BrokenStopwatch {
  private(set) var seconds = 0
  private(set) var ticker: Ticker?

  func start() {
    ticker = Ticker { _ in self.seconds += 1 }
  }

  deinit { ticker?.invalidate() }
}

final class FixedStopwatch {
  private(set) var seconds = 0
  private(set) var ticker: Ticker?

  func start() {
    ticker = Ticker { [weak self] ticker in
      guard let self else { return ticker.invalidate() }
      seconds += 1
    }
  }

  func stop() { ticker?.invalidate() }
}

struct TimerTrapTests {
  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let stopwatch = BrokenStopwatch()
      stopwatch.start()
      return stopwatch
    } mend: {
      $0.ticker?.invalidate()
    }
  }

  func twin() -> AnyObject {
    let stopwatch = FixedStopwatch()
    stopwatch.start()
    return stopwatch
  }

  @Test func `2.12 a timer whose closure captures its owner is reported`() async {
    let leak = await self.leak()
    #expect(
      leak?.isHeld(by: ".ticker -> LeakTestingTests.Ticker") == true,
      "\(leak?.description ?? "not reported")")
    #expect(
      leak?.isHeld(by: ".onTick -> closure") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.12 one whose closure captures it weakly, and that is stopped, is not`() {
    let stopwatch = track(FixedStopwatch())
    stopwatch.start()
    stopwatch.ticker?.tick()
    #expect(stopwatch.seconds == 1)
    stopwatch.stop()
  }
}

/// The notification center keeps the block until the token is removed, and the block the badge.
@MainActor
final class BrokenBadge {
  private(set) var unread = 0
  private var token: (any NSObjectProtocol)?

  init() {
    token = NotificationCenter.default.addObserver(
      forName: .mailArrived, object: nil, queue: nil
    ) { _ in
      MainActor.assumeIsolated { self.unread += 1 }
    }
  }

  func close() {
    token.map { NotificationCenter.default.removeObserver($0) }
    token = nil
  }
}

@MainActor
final class FixedBadge {
  private(set) var unread = 0
  private var token: (any NSObjectProtocol)?

  init() {
    token = NotificationCenter.default.addObserver(
      forName: .mailArrived, object: nil, queue: nil
    ) { [weak self] _ in
      MainActor.assumeIsolated { self?.unread += 1 }
    }
  }

  isolated deinit { token.map { NotificationCenter.default.removeObserver($0) } }
}

extension Notification.Name {
  fileprivate static let mailArrived = Notification.Name("mailArrived")
}

@Suite @MainActor struct NotificationTrapTests {
  func leak() async -> ReportedLeak? {
    await MemoryLeakMonitor.withIsolation {
      MemoryLeakMonitor.addRoot("notification center", NotificationCenter.default)
      return await reportedLeak {
        BrokenBadge()
      } mend: {
        $0.close()
      }
    }
  }

  func twin() -> AnyObject { FixedBadge() }

  @Test func `2.13 a notification's block that captures the token's owner is reported`() async {
    let leak = await self.leak()
    #expect(
      leak?.isHeld(by: "notification center") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.13 one that captures it weakly is not`() {
    let badge = track(FixedBadge())
    NotificationCenter.default.post(name: .mailArrived, object: nil)
    #expect(badge.unread == 1)
  }
}

/// The task holds the chat for as long as the stream goes on. To cancel it in `deinit` cannot help:
/// that is only called when the task is gone.
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

  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let chat = BrokenChat()
      chat.appear(lines.stream)
      lines.continuation.yield("hello")
      while chat.lines.isEmpty { await Task.yield() }
      return chat
    } mend: { chat in
      chat.task?.cancel()
      await chat.task?.value
    }
  }

  func twin() -> AnyObject {
    let chat = FixedChat()
    chat.appear(lines.stream)
    chat.disappear()
    return chat
  }

  @Test func `3.6 an endless stream that nobody cancels is reported`() async {
    let leak = await self.leak()
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

/// A continuation that nobody resumes keeps its task, and the task what it captures, whether or not
/// it is cancelled.
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
  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let prompt = BrokenPrompt()
      prompt.ask()
      while prompt.continuation == nil { await Task.yield() }
      prompt.disappear()
      return prompt
    } mend: { prompt in
      prompt.reply(nil)
      await prompt.task?.value
    }
  }

  func twin() -> AnyObject {
    let prompt = FixedPrompt()
    prompt.ask()
    prompt.disappear()
    return prompt
  }

  @Test func `2.21 a continuation that is never resumed is reported`() async {
    let leak = await self.leak()
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

/// It keeps each screen that it has shown. A tool that looks for what nothing can reach finds none:
/// they can be reached, and only their number tells.
final class BrokenNavigator {
  private var history: [DetailScreen] = []

  func show() -> DetailScreen {
    history.append(DetailScreen())
    return history.last!
  }

  func close(_ screen: DetailScreen) {}
}

final class FixedNavigator {
  private var stack: [DetailScreen] = []

  func show() -> DetailScreen {
    stack.append(DetailScreen())
    return stack.last!
  }

  func close(_ screen: DetailScreen) { stack.removeAll { $0 === screen } }
}

final class DetailScreen {
  init() { MemoryLeakMonitor.validate(self, max: 10) }
}

struct RepeatedFlowTests {
  private let monitor = MemoryLeakMonitor(backend: .mutex)

  init() {
    monitor.reporter = .closure { _ in }
    monitor.retainPaths = .shown(timeout: .seconds(10))
  }

  func leak() async -> ReportedLeak? {
    let navigator = BrokenNavigator()
    return grown(navigator) { navigator.close(navigator.show()) }.first.map { leak in
      ReportedLeak(description: leak.messageWithHolders, path: leak.survivors.first?.retainPath)
    }
  }

  func twin() -> AnyObject {
    let navigator = FixedNavigator()
    navigator.close(navigator.show())
    return navigator
  }

  @Test func `2.9 2.10 a flow that leaves a screen each time is reported by their number`() {
    let navigator = BrokenNavigator()
    let leaks = grown(navigator) { navigator.close(navigator.show()) }
    #expect(leaks.map(\.finding) == [.growth([1, 2, 3, 4, 5, 6])])
    #expect(leaks.first?.survivors.count == 6)
    if RetainSearch.capability == .available {
      let path = leaks.first?.survivors.first?.retainPath
      #expect(path?.origin == .root("navigator") && path?.edges.first?.label == ".history[x]")
    }
  }

  @Test func `2.9 one that leaves none is not`() {
    let navigator = FixedNavigator()
    #expect(grown(navigator) { navigator.close(navigator.show()) }.isEmpty)
  }

  private func grown(_ navigator: AnyObject, _ flow: () -> Void) -> [LeakReport] {
    monitor.addRoot("navigator", navigator)
    return MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.growth(loops: 5, flow)
    }
  }
}
