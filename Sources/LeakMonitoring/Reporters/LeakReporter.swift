import CShims
import WeakCollections

#if canImport(Darwin)
  import Darwin
#endif

/// Receives reports of leaks, and of findings that are exempt: see `LeakState`.
public protocol LeakReporter: Sendable {
  /// Handles a report. The monitor calls it outside every lock, on the thread of `validate` or in
  /// the task of a check, so threads may call it concurrently.
  func report(_ leak: LeakReport)
}

/// Records a test failure under XCTest or Swift Testing; elsewhere fails an assertion, which does
/// nothing in release builds.
///
/// It ignores states that are not failures. To record failures, a test target links the product
/// `LeakTesting`; without it this prints them, and a note about that.
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

/// Turns leaks into failures of the running test. `LeakTesting`, which only test targets link,
/// installs the recorder, so that no program links a test library for its leak monitor.
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

/// Fails an assertion for each leak, at the place of its `validate`; does nothing in release
/// builds.
///
/// It ignores states that are not failures.
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

/// Passes each report to several reporters, in order.
public struct CombinedLeakReporter: LeakReporter {
  private let reporters: [any LeakReporter]

  /// Creates a reporter from `reporters`; one that may end the process, such as `.standard`, comes
  /// last.
  public init(_ reporters: [any LeakReporter]) {
    self.reporters = reporters
  }

  public func report(_ leak: LeakReport) {
    for reporter in reporters { reporter.report(leak) }
  }
}

extension LeakReporter where Self == CombinedLeakReporter {
  /// Passes each report to `reporters`, in order.
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

/// Compares the leaks of a run with a baseline, and passes them to another reporter.
///
/// A leak in the baseline is passed on as `.allowed`, which `.standard` ignores. At the end of the
/// run, `judgement` lists the new, outdated and expired entries.
public final class BaselineLeakReporter: LeakReporter {
  private let baseline: LeakBaseline
  private let next: any LeakReporter
  private let day: CalendarDay
  private let tally = MutexLock(LeakTally())

  /// Creates a reporter that passes reports to `next`; entries that expired before `day` do not
  /// apply.
  public init(
    _ baseline: LeakBaseline, day: CalendarDay = .today, telling next: some LeakReporter = .standard
  ) {
    self.baseline = baseline
    self.day = day
    self.next = next
  }

  public func report(_ leak: LeakReport) {
    let record = LeakRecord(leak, millisecondsSince1970: 0)
    let fingerprint = record.fingerprint
    let (before, after) = tally.write { tally in
      let before = tally.count(of: fingerprint)
      tally.add(record)
      return (before, tally.count(of: fingerprint))
    }
    // A leak that was passed on as allowed is not passed on as a late one.
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
  /// Passes reports to `next`, those in `baseline` as `.allowed`.
  public static func baseline(
    _ baseline: LeakBaseline, telling next: some LeakReporter = .standard
  ) -> BaselineLeakReporter {
    BaselineLeakReporter(baseline, telling: next)
  }
}
