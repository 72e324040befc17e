/// What a run says of leaks.
package enum LeakVerdict: Hashable, Sendable {
  case clean
  case leaks
  /// AddressSanitizer ended the program before its leaks were looked for.
  case memoryError
  /// Whether it leaks is not known, or something else went wrong; why.
  case undecided(String)

  /// What is looked at.
  package enum Subject: Sendable {
    /// - Parameter process: its identifier.
    case program(process: Int)
    case tests(TestRunOutput)
  }

  /// 0 clean, 1 leaks, 2 everything else.
  package var exitStatus: Int32 {
    switch self {
    case .clean: 0
    case .leaks: 1
    case .memoryError, .undecided: 2
    }
  }
}

extension LeakVerdict {
  /// Memory errors and crashes come before leaks: what a process that was cut off leaves is no leak. Leaks
  /// come before failed tests and exit statuses.
  package init(_ subject: Subject, end: RunEnd, _ report: SanitizerReport) {
    if !report.memoryErrors.isEmpty {
      self = .memoryError
    } else if case .signalled(let signal) = end {
      self = .undecided("\(subject) ended by signal \(signal), before leaks were looked for")
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
      self = .undecided("\(subject) ended without looking for leaks, as by _exit")
    } else {
      self = .clean
    }
  }
}

extension LeakVerdict.Subject {
  /// Whether it was looked through at its end: a child of the program that was says nothing of the program,
  /// nor one library's tests of the other's.
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
