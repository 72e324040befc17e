/// The verdict on the leaks of a run.
package enum LeakVerdict: Hashable, Sendable {
  /// The sanitizer checked the run and found no leak.
  case clean
  /// The sanitizer found leaks.
  case leaks
  /// AddressSanitizer stopped the program before the check for leaks.
  case memoryError
  /// There is no verdict on leaks, or the run failed without one, for the given reason.
  case undecided(String)

  /// The subject of a run.
  package enum Subject: Sendable {
    /// A program, with the identifier of its process.
    case program(process: Int)
    /// The tests of a package, with their output.
    case tests(TestRunOutput)
  }

  /// The exit status of `findleaks`: 0 without leaks, 1 with leaks, 2 for a memory error or without
  /// a verdict.
  package var exitStatus: Int32 {
    switch self {
    case .clean: 0
    case .leaks: 1
    case .memoryError, .undecided: 2
    }
  }
}

extension LeakVerdict {
  /// Creates the verdict on a run.
  ///
  /// Memory errors and crashes take precedence over leaks, because the memory that a crashed
  /// process leaves is not a leak. Leaks take precedence over failed tests and exit statuses.
  ///
  /// - Parameters:
  ///   - subject: The program or the tests.
  ///   - end: The end of the process.
  ///   - report: The output of the sanitizers.
  package init(_ subject: Subject, end: RunEnd, _ report: SanitizerReport) {
    if !report.memoryErrors.isEmpty {
      self = .memoryError
    } else if case .signalled(let signal) = end {
      self = .undecided("\(subject) ended by signal \(signal) before the check for leaks")
    } else if !report.leaks.isEmpty {
      self = .leaks
    } else if let obstacle = report.obstacles.first {
      self = .undecided(obstacle)
    } else if case .tests = subject, end != .exited(0) {
      self = .undecided("tests failed or crashed; no leak was found")
    } else if case .exited(let status) = end, status != 0 {
      self = .undecided("\(subject) ended with status \(status); no leak was found")
    } else if case .tests(let output) = subject, !output.hasRunTests {
      self = .undecided("no test ran")
    } else if !subject.wasChecked(in: report) {
      self = .undecided("\(subject) ended without looking for leaks, for example by _exit")
    } else {
      self = .clean
    }
  }
}

extension LeakVerdict.Subject {
  /// Returns whether LeakSanitizer checked the subject when it ended.
  ///
  /// The check of a child process does not count as one of the program. The check of the tests of
  /// one library does not count as one of the other library's tests.
  fileprivate func wasChecked(in report: SanitizerReport) -> Bool {
    switch self {
    case .program(let process): report.checked.contains(process)
    case .tests(let output):
      output.begun.isSubset(of: output.ended) && report.checked.count >= max(output.ended.count, 1)
    }
  }
}

extension LeakVerdict.Subject: CustomStringConvertible {
  package var description: String {
    switch self {
    case .program: "the program"
    case .tests: "the tests"
    }
  }
}

/// The end of a program or of a test run: an exit status or a signal.
package enum RunEnd: Hashable, Sendable {
  case exited(Int32)
  case signalled(Int32)
}

/// The facts in the output of `swift test`: the test libraries that began and ended a run, and
/// whether a test ran.
///
/// The exit status does not contain these facts: it is 0 even if no test ran, or if a test called
/// `exit(0)`.
package struct TestRunOutput: Sendable {
  enum Library: Sendable {
    case xcTest, swiftTesting
  }

  /// Whether at least one test ran.
  package private(set) var hasRunTests = false
  private(set) var begun: Set<Library> = []
  private(set) var ended: Set<Library> = []
  private var line: [UInt8] = []

  package init() {}

  /// Reads the next bytes of the output.
  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        read(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
      } else if line.count < 256 {
        line.append(byte)
      }
    }
  }

  private mutating func read(_ line: String) {
    readEnds(line)
    // XCTest prints `Executed 3 tests, with …`, Swift Testing `Test run with 2 tests in …`.
    for start in ["Executed ", "Test run with "] {
      guard let range = line.firstRange(of: start) else { continue }
      let number = line[range.upperBound...].prefix(while: \.isNumber)
      if let count = Int(number), count > 0 { hasRunTests = true }
    }
  }

  /// Notes the test library whose run begins or ends with the line.
  private mutating func readEnds(_ line: String) {
    for suite in ["Test Suite 'All tests' ", "Test Suite 'Selected tests' "] {
      guard let range = line.firstRange(of: suite) else { continue }
      let rest = line[range.upperBound...]
      if rest.hasPrefix("started") { begun.insert(.xcTest) }
      if rest.hasPrefix("passed") || rest.hasPrefix("failed") { ended.insert(.xcTest) }
    }
    if line.contains("Test run started") { begun.insert(.swiftTesting) }
    if line.contains("Test run with ") { ended.insert(.swiftTesting) }
  }
}
