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

  private enum Shared {
    @Suite(.noLeaks) struct ScreenTests {
      let screen = track(Screen())

      @Test(arguments: [1, 2]) func `it opens`(_ times: Int) {
        for _ in 0..<times { screen.open() }
      }
    }
  }
}
