import LeakMonitoring
import RuntimeInspection
import Testing
import WeakCollections

@testable import LeakTesting

@Suite(.enabled(if: RetainSearch.capability == .available)) struct ShownPathsTests {
  private let cycles = Cycles()
  private let shown = RetainPaths.shown(timeout: .seconds(60))

  @Test func `a failure without a path says how to show it`() async {
    let messages = await messages {
      await withLeakScope(paths: .hidden) { _ = track(cycles.make()) }
    }
    #expect(
      messages.first?.hasSuffix("1.0 seconds (run with LEAK_PATHS=1 to see its holder)") == true)
  }

  @Test func `4.7 withLeakScope and expectDeallocated show paths on request`() async {
    let messages = await messages {
      await withLeakScope(paths: shown) { _ = track(cycles.make()) }
      await expectDeallocated(paths: shown) { cycles.make() }
      var screen: Screen? = cycles.make()
      await expectDeallocated(&screen, paths: shown)
    }
    #expect(messages.count == 3 && messages.allSatisfy(hasPath))
  }

  @Test func `4.7 an inner scope inherits whether paths are shown, unless it sets that itself`()
    async
  {
    let messages = await messages {
      await withLeakScope(paths: shown) {
        await withLeakScope { _ = track(cycles.make()) }
        await withLeakScope(paths: .hidden) { _ = track(cycles.make()) }
      }
    }
    #expect(messages.map(hasPath) == [true, false])
  }

  @Test func `the first five of many survivors of a scope are searched for`() async {
    let messages = await messages {
      await withLeakScope(paths: shown) {
        for _ in 0..<7 { track(cycles.make()) }
      }
    }
    #expect(messages.map(hasPath) == (1...7).map { $0 <= 5 })
    #expect(messages.last?.hasSuffix("1.0 seconds (no search for its holder was made)") == true)
  }

  @Test func `4.7 outside of scopes the monitor decides whether paths are shown`() async {
    let messages = await messages {
      await MemoryLeakMonitor.withIsolation {
        MemoryLeakMonitor.retainPaths = shown
        await withLeakScope { _ = track(cycles.make()) }
        MemoryLeakMonitor.retainPaths = .hidden
        await withLeakScope { _ = track(cycles.make()) }
      }
    }
    #expect(messages.map(hasPath) == [true, false])
  }

  @Test func `4.7 noLeaks shows paths on request, also in an inner scope of the test`() async {
    let trait = NoLeaksTrait.noLeaks(paths: shown)
    let messages = await messages {
      try? await trait.provideScope(for: Test.current!, testCase: nil) { [cycles] in
        track(cycles.make())
        try await NoLeaksTrait.noLeaks.provideScope(for: Test.current!, testCase: nil) {
          track(cycles.make())
        }
      }
    }
    #expect(messages.count == 2 && messages.allSatisfy(hasPath))
  }

  @Test func `2.10 the roots of the current monitor are roots of paths in tests`() async {
    let messages = await messages {
      await MemoryLeakMonitor.withIsolation {
        let root = Window()
        MemoryLeakMonitor.addRoot("window", root)
        await expectDeallocated(paths: shown) {
          root.screen = Screen()
          return root.screen!
        }
      }
    }
    #expect(messages.first?.contains("held by the root \"window\"") == true)
  }

  private func hasPath(_ message: String) -> Bool {
    message.contains(".kept -> LeakTestingTests.Screen")
  }

  private func messages(
    isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void
  ) async -> [String] {
    let messages = MutexLock([String]())
    await RunningTest.$recorder.withValue(
      { message, _ in messages.write { $0.append(message) } },
      operation: { await LeapingClock().run(isolation: isolation, body) }, isolation: isolation)
    return messages.read { $0 }
  }
}

private final class Window {
  var screen: Screen?
}
