import Screens
import Testing
import XCTest

@Suite struct LeakingTests {
  @Test func `a screen leaks`() {
    leakScreen()
  }

  @Test func `a screen leaks after a pause`() async {
    await Task.yield()
    leakScreen()
  }
}

final class LeakingTestCase: XCTestCase {
  func testLeaks() {
    leakScreen()
  }
}

final class LeakingAsynchronouslyTestCase: XCTestCase {
  func testLeaks() async {
    await Task.yield()
    leakScreen()
  }

  /// XCTest runs this test from inside its own wait on the main thread.
  @MainActor func testLeaksOnMainActor() async {
    await Task.yield()
    leakScreen()
  }
}

final class LeakingSetUpTestCase: XCTestCase {
  override func setUp() {
    leakScreen()
  }

  func testNothing() {}
}
