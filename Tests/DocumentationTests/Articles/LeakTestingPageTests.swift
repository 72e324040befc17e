import LeakTesting
import Testing

/// Runs the block of the page of `LeakTesting`.
struct LeakTestingPageTests {
  private final class Screen {
    func open() {}
    func close() {}
  }

  private enum Page {
    @Suite(.noLeaks) struct ScreenTests {
      let screen = track(Screen())  // Must be deallocated at the end of each test.

      @Test(arguments: [1, 2]) func `it opens`(_ times: Int) {
        for _ in 0..<times { screen.open() }
      }

      @Test func `it closes`() async {
        await withLeakScope {
          let screen = track(Screen())
          screen.close()
        }
        await expectDeallocated { Screen() }
      }
    }
  }
}
