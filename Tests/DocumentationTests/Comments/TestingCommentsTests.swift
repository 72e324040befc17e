import LeakMonitoring
import LeakTesting
import Testing

/// The examples in the comments of `LeakTesting`, but for factories and XCTest.
struct TestingCommentsTests {
  private final class Screen {
    func open() {}
    func open() async {}
  }

  @Test(.noLeaks) func `a screen is released`() {
    let screen = track(Screen())
    screen.open()
  }

  @Test func `a screen is created and deallocated`() async {
    await expectDeallocated {
      let screen = Screen()
      await screen.open()
      return screen
    }
  }

  private final class Session: Sendable {
    init() { MemoryLeakMonitor.validate(self, max: .max) }
  }

  private actor Server {
    func handle(_ request: String) { _ = Session() }
  }

  @Test func `a server keeps no session`() async {
    let (server, request) = (Server(), "GET /")
    await MemoryLeakMonitor.withIsolation {
      await expectSteadyHeap(of: Session.self, per: 100) {
        await server.handle(request)
      }
    }
  }

  private enum Shared {
    @Suite(.noLeaks) struct ScreenTests {
      let screen = track(Screen())

      @Test(arguments: [1, 2]) func `it opens`(_ times: Int) {
        for _ in 0..<times { screen.open() }
      }
    }
  }
}
