#if canImport(XCTest)
  import LeakTesting
  import XCTest

  /// Factories in XCTest, run by XCTest itself; what they record is in FactorySuiteTests.
  final class FactoryFormTests: XCTestCase {
    private var suite: FactorySuite {
      var suite = FactorySuite()
      suite.register(Window.self) { product in
        let window = Window()
        product.root(window)
        product.dependant(window.screen, named: "screen")
      }
      suite.register(Dialog.self) { @MainActor product in product.root(Dialog()) }
      return suite
    }

    func test_1_9_each_factory_is_checked() async {
      let names = await suite.check()
      XCTAssertEqual(names, [])
    }

    @MainActor func test_1_9_each_factory_is_checked_from_the_main_actor() async {
      await suite.check()
    }

    func test_1_7_1_9_each_class_has_a_factory() throws {
      try suite.coverage(ofSubclassesOf: Window.self).expectComplete()
    }
  }

  private class Window {
    let screen = Screen()
  }

  private final class Dialog: Window {}
#endif
