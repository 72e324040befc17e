import CShims
import WeakCollections

#if canImport(Darwin)
  import Darwin
#endif

/// A receiver of reports about leaks, late deallocations and exempt findings: see `LeakState`.
public protocol LeakReporter: Sendable {
  /// Handles a report.
  ///
  /// The monitor calls this outside every lock, on the thread of `validate` or in the task of a
  /// check. So several threads may call it concurrently.
  func report(_ leak: LeakReport)
}

/// A reporter that records a failure of the running test. Outside tests it fails an assertion,
/// which does nothing in release builds.
///
/// It ignores reports whose state is not a failure. A test target links the product `LeakTesting`
/// to record failures under XCTest and Swift Testing. Without that product, this reporter prints
/// each leak to standard error, with a note about the missing product.
public struct StandardLeakReporter: LeakReporter {
  private let record: (@Sendable (LeakReport) -> Void)?
  private let isTesting: Bool

  /// Creates a reporter for this process; `.standard` is the same.
  public init() {
    self.init(record: TestFailures.installed, isTesting: TestFailures.isTesting)
  }

  init(record: (@Sendable (LeakReport) -> Void)?, isTesting: Bool) {
    self.record = record
    self.isTesting = isTesting
  }

  /// Records or prints a leak, or fails an assertion for it; ignores reports that are not failures.
  public func report(_ leak: LeakReport) {
    guard leak.state.isFailure else { return }
    if let record {
      record(leak)
    } else if isTesting {
      cws_print_error("\(leak.site.fileID):\(leak.site.line): \(leak.messageWithHolders)")
      cws_print_error(
        "The leak did not fail the test: add the product LeakTesting to the test target.")
    } else {
      AssertionLeakReporter().report(leak)
    }
  }
}

extension LeakReporter where Self == StandardLeakReporter {
  /// The reporter that records a failure in tests, and fails an assertion elsewhere.
  public static var standard: StandardLeakReporter { StandardLeakReporter() }
}

/// The recorder that turns leaks into failures of the running test.
///
/// `LeakTesting`, which only test targets link, installs it. So a program with a leak monitor does
/// not link a test library.
package enum TestFailures {
  static let recorder = MutexLock<(@Sendable (LeakReport) -> Void)?>(nil)

  /// The recorder; nil unless `LeakTesting` is linked.
  static var installed: (@Sendable (LeakReport) -> Void)? { recorder.read { $0 } }

  /// Whether this process runs tests.
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

/// A reporter that fails an assertion for each leak, at the place of its `validate`; it does
/// nothing in release builds.
///
/// It ignores reports whose state is not a failure.
public struct AssertionLeakReporter: LeakReporter {
  /// Creates a reporter; `.assertion` is the same.
  public init() {}

  /// Fails an assertion for a leak; ignores reports that are not failures.
  public func report(_ leak: LeakReport) {
    guard leak.state.isFailure else { return }
    assertionFailure(leak.messageWithHolders, file: leak.site.fileID, line: leak.site.line)
  }
}

extension LeakReporter where Self == AssertionLeakReporter {
  /// The reporter that fails an assertion for each leak, also in tests.
  public static var assertion: AssertionLeakReporter { AssertionLeakReporter() }
}

/// A reporter that passes each report to several reporters, in order.
public struct CombinedLeakReporter: LeakReporter {
  private let reporters: [any LeakReporter]

  /// Creates a reporter from several.
  ///
  /// - Parameter reporters: The reporters in order. A reporter that may end the process, such as
  ///   `.standard`, comes last.
  public init(_ reporters: [any LeakReporter]) {
    self.reporters = reporters
  }

  /// Passes a report to each reporter, in order.
  public func report(_ leak: LeakReport) {
    for reporter in reporters { reporter.report(leak) }
  }
}

extension LeakReporter where Self == CombinedLeakReporter {
  /// Returns a reporter that passes each report to `reporters`, in order.
  public static func all(_ reporters: any LeakReporter...) -> CombinedLeakReporter {
    CombinedLeakReporter(reporters)
  }
}

/// A reporter that calls a closure for each report.
public struct ClosureLeakReporter: LeakReporter {
  private let body: @Sendable (LeakReport) -> Void

  /// Creates a reporter that calls `body` for each report, in every state.
  public init(_ body: @escaping @Sendable (LeakReport) -> Void) {
    self.body = body
  }

  /// Calls the closure.
  public func report(_ leak: LeakReport) {
    body(leak)
  }
}

extension LeakReporter where Self == ClosureLeakReporter {
  /// Returns a reporter that calls `body` for each report, in every state.
  public static func closure(
    _ body: @escaping @Sendable (LeakReport) -> Void
  ) -> ClosureLeakReporter {
    ClosureLeakReporter(body)
  }
}

/// A reporter that compares the leaks of a run with a baseline and passes them to another reporter.
///
/// It passes on a leak in the baseline as `.allowed`, which `.standard` ignores. At the end of the
/// run, `judgement` lists the new, outdated and expired entries.
public final class BaselineLeakReporter: LeakReporter {
  private let baseline: LeakBaseline
  private let next: any LeakReporter
  private let day: CalendarDay
  private let tally = MutexLock(LeakTally())

  /// Creates a reporter.
  ///
  /// - Parameters:
  ///   - baseline: The known leaks.
  ///   - day: The day of the run; an entry that expired before it does not apply.
  ///   - next: Receives the reports.
  public init(
    _ baseline: LeakBaseline, day: CalendarDay = .today, telling next: some LeakReporter = .standard
  ) {
    self.baseline = baseline
    self.day = day
    self.next = next
  }

  /// Counts a report and passes it on, as `.allowed` if the baseline has the leak.
  public func report(_ leak: LeakReport) {
    let record = LeakRecord(leak, millisecondsSince1970: 0)
    let fingerprint = record.fingerprint
    let (before, after) = tally.write { tally in
      let before = tally.count(of: fingerprint)
      tally.add(record)
      return (before, tally.count(of: fingerprint))
    }
    // Drops the late deallocation of a leak that it passed on as allowed.
    if leak.state == .late, isKnown(fingerprint, before) { return }
    var leak = leak
    if leak.state.isFailure, isKnown(fingerprint, after) { leak.state = .allowed }
    next.report(leak)
  }

  /// The result of the run. Read it at the end, after `settle()` of the monitor.
  public var judgement: LeakJudgement {
    baseline.judge(tally.read { copy $0 }, on: day)
  }

  private func isKnown(_ fingerprint: LeakFingerprint, _ count: Int) -> Bool {
    guard let entry = baseline.entry(of: fingerprint), count <= entry.count else { return false }
    return entry.expires.map { $0 >= day } ?? true
  }
}

extension LeakReporter where Self == BaselineLeakReporter {
  /// Returns a reporter that passes reports to `next`, and leaks of `baseline` as `.allowed`.
  ///
  /// - Parameters:
  ///   - baseline: The known leaks. An entry that expired before today does not apply.
  ///   - next: Receives the reports.
  public static func baseline(
    _ baseline: LeakBaseline, telling next: some LeakReporter = .standard
  ) -> BaselineLeakReporter {
    BaselineLeakReporter(baseline, telling: next)
  }
}
