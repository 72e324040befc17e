import Screens
import Testing
import XCTest

@Suite struct CleanTests {
  @Test func `a screen is deallocated`() {
    let screen = Screen()
    screen.presenter = Presenter()
    #expect(screen.presenter != nil)
  }
}

final class CleanTestCase: XCTestCase {
  private let screen = Screen()

  func testIsClean() async {
    screen.presenter = Presenter()
    XCTAssertNotNil(screen.presenter)
  }
}
