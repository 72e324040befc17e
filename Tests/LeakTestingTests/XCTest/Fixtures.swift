#if canImport(XCTest) && !canImport(Darwin)
  import LeakMonitoring
  import LeakTesting
  import Threading
  import XCTest

  class BaseFixture: LeakCheckTestCase {
    var inherited: Screen?

    /// Hidden, whatever the setting of the run.
    override var retainPaths: RetainPaths { .hidden }
  }

  /// A test case that resets no property by itself. It has no test methods for XCTest to run.
  final class Fixture: BaseFixture {
    let constant = Screen()
    var constantVariable = Screen()
    var number: Int! = 1
    var text: String?
    var style: Style?
    var screen: Screen!
    var other: Screen?
    var array: [Screen] = []
    var dictionary: [String: Screen?] = [:]
    var pair: (Int, Screen?) = (1, nil)
    var box: Box?
    var closure: (() -> Void)?
    lazy var made = Screen()
    weak var watched: Screen?
    unowned var owner: Screen?
    var task: Task<Void, Never>?
    /// Called by `tearDown()`.
    var onTearDown: (Fixture) -> Void = { _ in }

    override func setUp() {
      number = 2
      text = "text"
      style = .wide(2)
    }

    override func tearDown() { onTearDown(self) }
  }

  final class PathFixture: LeakCheckTestCase {
    var screen: Screen?

    override var retainPaths: RetainPaths { .shown(timeout: .seconds(60)) }
    override func tearDown() { screen = nil }
  }

  /// A test case that collects the failures that XCTest records.
  class FailingFixture: LeakCheckTestCase {
    var screen: Screen?
    var failures: [String] = []
    var places: [String] = []

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      failures.append(description)
      places.append("\(filePath):\(lineNumber)")
    }

    func keepsScreen() { screen = Screen() }

    @MainActor func keepsScreenLater() async throws {
      await Task.yield()
      screen = Screen()
    }

    /// The lines of the two methods.
    static let lines = (#line - 8, #line - 6)
  }

  final class SharingFixture: LeakCheckTestCase {
    static let shared = Screen()

    var center: NotificationCenter?
    var url: URL?
    var queue: DispatchQueue?
    var path: AnyKeyPath?
    var bytes: [UInt8] = []
    var screen: Screen?
    var onTearDown: (SharingFixture) -> Void = { _ in }

    override func tearDown() { onTearDown(self) }

    override func isLongLived(_ object: AnyObject) -> Bool {
      object === Self.shared || super.isLongLived(object)
    }
  }

  enum Style {
    case wide(Int)
    case showing(Screen)
  }

  struct Box {
    var screen: Screen?
    weak var watched: Screen?
  }

  /// Runs `body` as a test of `type`, as XCTest would, with a clock that does not wait; returns the
  /// failures.
  ///
  /// It runs on its own thread, because XCTest blocks its thread. Fixtures run one at a time,
  /// because XCTest has one running test.
  func failures<Fixture: XCTestCase>(
    of type: Fixture.Type, clock: LeapingClock = LeapingClock(),
    _ body: @escaping @Sendable (Fixture) throws -> Void = { _ in }
  ) async -> [FixtureFailure] {
    let failures = RecordedFailures()
    await onOwnThread {
      let fixture = type.init(name: "fixture") { testCase in
        guard let fixture = testCase as? Fixture else { return }
        try body(fixture)
      }
      failures.run { clock.run { runOnce(fixture) } }
    }
    return failures.all
  }

  /// Runs a fixture without `run`, which would leave a cycle of the fixture and its run.
  func runOnce(_ fixture: XCTestCase) {
    fixture.perform(XCTestCaseRun(test: fixture))
  }
#endif
