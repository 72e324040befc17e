import Foundation
import LeakMonitoring
import LeakTesting
import RuntimeInspection
import Testing
import WeakCollections

/// The connection in the article *Finding a leak*. It calls `onLine` for each line.
final class Connection {
  var onLine: ((String) -> Void)?
}

private enum Broken {
  final class ChatScreen: MemoryLeakMonitorable {
    let connection = Connection()
    private(set) var lines: [String] = []

    init() { MemoryLeakMonitor.validate(self) }

    func open() {
      connection.onLine = { line in self.lines.append(line) }
    }

    func close() {}
  }
}

private enum Fixed {
  final class ChatScreen: MemoryLeakMonitorable {
    let connection = Connection()
    private(set) var lines: [String] = []

    init() { MemoryLeakMonitor.validate(self) }

    func open() {
      connection.onLine = { [weak self] line in self?.lines.append(line) }
    }

    func close() {}
  }
}

private func showPaths(from environment: AnyObject) {
  MemoryLeakMonitor.retainPaths = .shown()
  MemoryLeakMonitor.addRoot("environment", environment)
}

/// Runs the blocks of the article *Finding a leak*, with the leak and without it.
struct FindingALeakTests {
  /// Breaks the cycles at the end, so that LeakSanitizer finds no leak.
  private final class Cleanup {
    private let connections = MutexWeakArray<Connection>()
    func note(_ screen: Broken.ChatScreen) { connections.append(screen.connection) }
    deinit { connections.forEach { $0.onLine = nil } }
  }

  private let cleanup = Cleanup()

  private static let suite: FactorySuite = {
    typealias ChatScreen = Fixed.ChatScreen
    var suite = FactorySuite()
    suite.register(ChatScreen.self) { product in
      let screen = ChatScreen()
      product.root(screen)
      product.dependant(screen.connection, named: "connection")
      screen.open()
      screen.close()
    }
    return suite
  }()

  @Test func `2.9 a flow that leaves a screen each time is reported`() {
    typealias ChatScreen = Broken.ChatScreen
    let monitor = MemoryLeakMonitor(backend: .mutex)
    monitor.reporter = .closure { _ in }
    MemoryLeakMonitor.withIsolation(in: monitor) {
      func openAndClose() {
        let screen = ChatScreen()
        screen.open()
        screen.close()
        cleanup.note(screen)
      }
      let leaks = MemoryLeakMonitor.growth(loops: 5) { openAndClose() }
      for leak in leaks { print(leak.text) }
      #expect(leaks.map(\.finding) == [.growth([1, 2, 3, 4, 5, 6])])
    }
  }

  @Test func `a test that tracks the screen fails with the message of the article`() async throws {
    let message = await messageOfBrokenTest(showing: .hidden)
    let text = try Checkout.textBlocks(of: Checkout.findingALeak)[0]
    #if os(Linux)
      #expect(message == text)
    #else
      #expect(text.hasPrefix(message))  // No search, and so no hint at it.
    #endif
  }

  @Test(.enabled(if: RetainSearch.capability == .available))
  func `2.9 with paths the message shows what holds the screen, as in the article`() async throws {
    let message = await messageOfBrokenTest(showing: .shown(timeout: .seconds(60)))
    let text = try Checkout.textBlocks(of: Checkout.findingALeak)[1]
    #expect(message == text)
  }

  @Test(.noLeaks) func `a closed chat is deallocated`() {
    typealias ChatScreen = Fixed.ChatScreen
    let screen = track(ChatScreen())
    screen.open()
    screen.close()
  }

  @Test(arguments: suite.factories)
  func `what is closed is gone`(_ factory: LeakFactory) async throws {
    try await factory.check()
  }

  /// Returns the failure message of a test of the broken screen.
  private func messageOfBrokenTest(showing paths: RetainPaths) async -> String {
    typealias ChatScreen = Broken.ChatScreen
    let message = MutexLock("")
    await MemoryLeakMonitor.withIsolation(in: silent()) {
      await withKnownIssue {
        await withLeakScope(paths: paths) {
          let screen = track(ChatScreen())
          screen.open()
          screen.close()
          cleanup.note(screen)
        }
      } matching: { issue in
        message.write { $0 = issue.comments.first?.rawValue ?? "" }
        return true
      }
    }
    return message.read { $0 }.replacing("DocumentationTests.Broken.", with: "App.")
      .replacing("DocumentationTests.", with: "App.")
  }

  /// Returns a monitor without reports, because concurrent tests make more than one screen.
  private func silent() -> MemoryLeakMonitor {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    monitor.reporter = .closure { _ in }
    return monitor
  }
}
