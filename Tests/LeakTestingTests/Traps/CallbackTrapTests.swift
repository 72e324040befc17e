import Foundation
import LeakMonitoring
import LeakTesting
import RuntimeInspection
import Testing
import WeakCollections

/// A timer that calls its closure until it is invalidated, and releases the closure then.
/// Foundation's timer would not do: on Linux it never releases its block, so even the fixed
/// stopwatch would leak.
final class Ticker {
  private var onTick: ((Ticker) -> Void)?

  init(onTick: @escaping (Ticker) -> Void) { self.onTick = onTick }

  func tick() { onTick?(self) }
  func invalidate() { onTick = nil }
}

/// The stopwatch retains the ticker, the ticker its closure, and the closure the stopwatch.
/// Invalidating the ticker in `deinit` does not help, because `deinit` is never called.
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
    } endLeak: {
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

  @Test(.noLeaks)
  func `2.12 a stopped timer whose closure captures its owner weakly is no leak`() {
    let stopwatch = track(FixedStopwatch())
    stopwatch.start()
    stopwatch.ticker?.tick()
    #expect(stopwatch.seconds == 1)
    stopwatch.stop()
  }
}

/// The notification center retains the block until the token is removed, and the block the badge.
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

@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
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
      } endLeak: {
        $0.close()
      }
    }
  }

  func twin() -> AnyObject {
    guard #available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *) else {
      fatalError("this system cannot isolate a deinit")
    }
    return FixedBadge()
  }

  @Test func `2.13 a notification's block that captures the token's owner is reported`() async {
    let leak = await self.leak()
    #expect(
      leak?.isHeld(by: "notification center") == true, "\(leak?.description ?? "not reported")")
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test(.noLeaks) func `2.13 a notification's block that captures the owner weakly is no leak`() {
    let badge = track(FixedBadge())
    NotificationCenter.default.post(name: .mailArrived, object: nil)
    #expect(badge.unread == 1)
  }
}

/// The task retains the chat until the stream ends. Cancelling the task in `deinit` does not help,
/// because `deinit` is called only after the task has ended.
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

/// The code that shows the chat calls `disappear()` when it hides the chat.
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
    } endLeak: { chat in
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

  @Test func `3.6 a task with an endless stream that is never cancelled is reported`() async {
    let leak = await self.leak()
    #expect(leak?.isHeld(by: "a running task") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks(grace: .seconds(60)))
  func `3.6 a task that is cancelled when the chat disappears is no leak`() async {
    let chat = track(FixedChat())
    chat.appear(lines.stream)
    lines.continuation.yield("hello")
    while chat.lines.isEmpty { await Task.yield() }
    chat.disappear()
  }
}

/// A continuation that is never resumed retains its task, and the task its captures, even if it is
/// cancelled.
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
    } endLeak: { prompt in
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
  func `2.21 a continuation that is resumed when its task is cancelled is no leak`() async {
    let prompt = track(FixedPrompt())
    prompt.ask()
    while prompt.continuation == nil { await Task.yield() }
    prompt.disappear()
  }
}

/// The navigator retains each screen that it has shown. A search for unreachable objects finds
/// none, because the screens are reachable; only their number shows the leak.
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
    monitor.retainPaths = .shown(timeout: .seconds(60))
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

  @Test func `2.9 2.10 a flow that leaves a screen each time is reported as growth`() {
    let navigator = BrokenNavigator()
    let leaks = grown(navigator) { navigator.close(navigator.show()) }
    #expect(leaks.map(\.finding) == [.growth([1, 2, 3, 4, 5, 6])])
    #expect(leaks.first?.survivors.count == 6)
    if RetainSearch.capability == .available {
      let path = leaks.first?.survivors.first?.retainPath
      #expect(path?.origin == .root("navigator") && path?.edges.first?.label == ".history[x]")
    }
  }

  @Test func `2.9 a flow that leaves no screen is not reported`() {
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
