#if canImport(XCTest)
  import LeakTesting
  import XCTest

  // The README's example of XCTest; that of Swift Testing is in ReadmeTestingTests.swift.

  final class ScreenTestCase: LeakCheckTestCase {
    private var screen: Screen!

    override func setUp() { screen = Screen() }
    override func tearDown() { screen = nil }  // Else it is missing from tearDown.

    func testOpens() {
      screen.open()
      trackForMemoryLeaks(Screen()).open()
    }
  }
#endif
