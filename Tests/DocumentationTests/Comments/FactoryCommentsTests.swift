#if canImport(XCTest)
  import LeakTesting
  import Testing
  import XCTest

  private class Screen {}
  private final class ProfileScreen: Screen {}

  private protocol Closable {}

  private var suite: FactorySuite {
    var suite = FactorySuite()
    suite.register(ProfileScreen.self) { product in product.root(ProfileScreen()) }
    return suite
  }

  /// The example of XCTest in the comments of `FactorySuite`.
  final class ScreenFactoryTests: XCTestCase {
    func testEachFactory() async {
      await suite.check()
    }

    func testEachScreenHasAFactory() throws {
      try suite.coverage(ofSubclassesOf: Screen.self).expectComplete()
    }
  }

  /// Those of its coverage; the module that they speak of is not here.
  struct FactoryCommentsTests {
    @Test func `each screen but the exceptions has a factory`() throws {
      try withKnownIssue {
        try suite.coverage(ofSubclassesOf: Screen.self, except: ["App.ListScreen"]).expectComplete()
      } matching: { issue in
        issue.description.contains("exception without a class App.ListScreen")
      }
    }

    @Test func `each class that can be closed has a factory`() throws {
      try withKnownIssue {
        try suite.coverage(in: ["App"]) { $0 is any Closable.Type }.expectComplete()
      } matching: { issue in
        issue.description.contains("no class in the module App")
      }
    }
  }
#endif
