import LeakTesting
import Testing

// The README's example of Swift Testing; that of XCTest is in `XCTest/`.

@Suite(.noLeaks)
struct ScreenTests {
  let screen = track(Screen())  // Must be gone when the test is.

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
