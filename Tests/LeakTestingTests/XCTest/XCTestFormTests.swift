#if canImport(XCTest)
  import LeakTesting
  import XCTest

  /// Run by XCTest itself, on the main thread.
  final class XCTestFormTests: LeakCheckTestCase {
    private var screen: Screen!
    private let constant = Screen()
    private var onTearDown: (() -> Void)?

    // Long enough for any machine: a test that waits for all of it fails by the run's time limit.
    override var leakGrace: Duration { .seconds(3600) }

    override func setUp() { screen = Screen() }

    override func tearDown() {
      onTearDown?()
      onTearDown = nil
      screen = nil
    }

    func test_4_3_a_test_that_releases_its_objects_passes() {
      XCTAssertNotNil(track(screen))
      trackForMemoryLeaks(Screen())
    }

    func test_4_3_an_async_test_that_releases_its_objects_passes() async {
      let screen = trackForMemoryLeaks(Screen())
      await Task.yield()
      track(Screen())
      withExtendedLifetime(screen) {}
    }

    func test_4_3_waiting_runs_the_run_loop_of_the_main_actor() {
      screen.keepItself()
      let kept = screen!
      onTearDown = { Task { @MainActor in kept.breakCycles() } }
    }

    func test_scopes_work() async {
      await withLeakScope { _ = track(Screen()) }
      withLeakScopeNow()
      XCTAssertNil(LeakScope.current)
    }

    /// Calls the synchronous form of `withLeakScope`.
    private func withLeakScopeNow() {
      withLeakScope { _ = track(Screen()) }
    }
  }

  /// A test case that inherits no leak checks.
  final class PlainXCTestFormTests: XCTestCase {
    func test_2_6_a_late_release_on_the_main_actor_is_no_leak() {
      let screen = trackForMemoryLeaks(Screen(), within: .seconds(3600))
      screen.keepItself()
      // XCTest retains its blocks, and their captures, until the end of the run.
      addTeardownBlock { [weak screen] in Task { @MainActor in screen?.breakCycles() } }
    }

    func test_2_6_what_an_async_test_tracks_is_released() async {
      let screen = track(Screen())
      await Task.yield()
      withExtendedLifetime(screen) {}
    }

    @MainActor func test_2_6_on_the_main_actor() async {
      let screen = trackForMemoryLeaks(Screen(), within: .seconds(3600))
      screen.keepItself()
      Task { screen.breakCycles() }
    }
  }

  /// Factories in XCTest, run by XCTest itself; FactorySuiteTests tests their failures.
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

  // An example of XCTest; the example of Swift Testing is in NoLeaksTraitTests.swift.

  final class ScreenTestCase: LeakCheckTestCase {
    private var screen: Screen!

    override func setUp() { screen = Screen() }
    override func tearDown() { screen = nil }  // Otherwise a failure reports it.

    func testOpens() {
      screen.open()
      trackForMemoryLeaks(Screen()).open()
    }
  }
#endif
