#if canImport(XCTest)
  import LeakTesting
  import XCTest

  private final class Screen {
    func open() {}
  }

  // The example in the comment of `LeakCheckTestCase`.

  final class ScreenTests: LeakCheckTestCase {
    private var screen: Screen!

    override func setUp() { screen = Screen() }
    override func tearDown() { screen = nil }

    func testOpens() { screen.open() }
  }
#endif
