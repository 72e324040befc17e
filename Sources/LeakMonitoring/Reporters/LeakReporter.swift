import CShims
import WeakCollections

#if canImport(Darwin)
  import Darwin
#endif

/// Is told about leaks, and about what would be leaks: see `LeakState`.
public protocol LeakReporter: Sendable {
  /// Called outside every exclusion, on the thread whose `validate` found it or in a task that waited, so
  /// perhaps several times at once.
  func report(_ leak: LeakReport)
}

/// Records a test failure under XCTest or Swift Testing; elsewhere fails an assertion, which in release
/// builds does nothing.
///
/// Only states that are a failure fail; it keeps the others to itself. A test target links the product
/// `LeakTesting` for its failures to be recorded; without it they are printed only, and say so.
public struct StandardLeakReporter: LeakReporter {
  private let record: (@Sendable (LeakReport) -> Void)?
  private let isTesting: Bool

  public init() {
    self.init(record: TestFailures.installed, isTesting: TestFailures.isTesting)
  }

  init(record: (@Sendable (LeakReport) -> Void)?, isTesting: Bool) {
    self.record = record
    self.isTesting = isTesting
  }

  public func report(_ leak: LeakReport) {
    guard leak.state.isFailure else { return }
    if let record {
      record(leak)
    } else if isTesting {
      cws_print_error("\(leak.site.fileID):\(leak.site.line): \(leak.messageWithHolders)")
      cws_print_error("To fail the test, add the product LeakTesting to the test target.")
    } else {
      AssertionLeakReporter().report(leak)
    }
  }
}

extension LeakReporter where Self == StandardLeakReporter {
  /// A recorded failure in tests, an assertion failure elsewhere.
  public static var standard: StandardLeakReporter { StandardLeakReporter() }
}

/// How leaks become failures of the running test: `LeakTesting`, which only test targets link, installs it.
/// So no program links a test library for its leak monitor.
package enum TestFailures {
  private static let recorder = MutexLock<(@Sendable (LeakReport) -> Void)?>(nil)

  /// Takes what records a leak, and switches monitors on: a test that links `LeakTesting` is about leaks,
  /// optimized or not.
  package static func install(_ record: @escaping @Sendable (LeakReport) -> Void) {
    recorder.write { $0 = record }
    MemoryLeakMonitor.isEnabled = true
  }

  /// What records a leak; nil unless `LeakTesting` is linked.
  static var installed: (@Sendable (LeakReport) -> Void)? { recorder.read { $0 } }

  /// Whether this process was started to run tests.
  static let isTesting: Bool = {
    #if canImport(Darwin)
      let variables = ["ConfigurationFilePath", "SessionIdentifier", "BundlePath"]
      if variables.contains(where: { getenv("XCTest\($0)") != nil }) { return true }
    #endif
    return CommandLine.arguments.contains { argument in
      argument == "--testing-library" || argument.hasSuffix(".xctest")
        || argument.hasSuffix("/xctest") || argument.hasSuffix("swiftpm-testing-helper")
    }
  }()
}

/// Fails an assertion for each leak, at the place of its `validate`; in release builds it does nothing.
///
/// Only states that are a failure fail; it keeps the others to itself.
public struct AssertionLeakReporter: LeakReporter {
  public init() {}

  public func report(_ leak: LeakReport) {
    guard leak.state.isFailure else { return }
    assertionFailure(leak.messageWithHolders, file: leak.site.fileID, line: leak.site.line)
  }
}

extension LeakReporter where Self == AssertionLeakReporter {
  /// An assertion failure for each leak, also in tests.
  public static var assertion: AssertionLeakReporter { AssertionLeakReporter() }
}

/// Tells several reporters, one after the other.
public struct CombinedLeakReporter: LeakReporter {
  private let reporters: [any LeakReporter]

  /// They are told in this order: one that may end the process, such as `.standard`, comes last.
  public init(_ reporters: [any LeakReporter]) {
    self.reporters = reporters
  }

  public func report(_ leak: LeakReport) {
    for reporter in reporters { reporter.report(leak) }
  }
}

extension LeakReporter where Self == CombinedLeakReporter {
  /// Tells each of `reporters`, in order.
  public static func all(_ reporters: any LeakReporter...) -> CombinedLeakReporter {
    CombinedLeakReporter(reporters)
  }
}

/// Calls a closure for each leak.
public struct ClosureLeakReporter: LeakReporter {
  private let body: @Sendable (LeakReport) -> Void

  public init(_ body: @escaping @Sendable (LeakReport) -> Void) {
    self.body = body
  }

  public func report(_ leak: LeakReport) {
    body(leak)
  }
}

extension LeakReporter where Self == ClosureLeakReporter {
  /// Calls `body` for each leak.
  public static func closure(
    _ body: @escaping @Sendable (LeakReport) -> Void
  ) -> ClosureLeakReporter {
    ClosureLeakReporter(body)
  }
}
