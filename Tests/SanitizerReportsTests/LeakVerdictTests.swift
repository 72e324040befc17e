import SanitizerReports
import Testing

@Suite struct LeakVerdictTests {
  private static let clean = report(lookedThrough(1))
  private static let child = report(lookedThrough(2))
  private static let both = report(lookedThrough(1) + lookedThrough(2))
  private static let again = report(lookedThrough(1) + lookedThrough(1))
  private static let unread = report(
    "==1==ERROR: LeakSanitizer: detected memory leaks\n" + lookedThrough(1))
  private static let unseen = SanitizerReport()
  private static let traced = report("==1==LeakSanitizer has encountered a fatal error.\n")
  private static let wrong = report("==1==ERROR: AddressSanitizer: SEGV on unknown address\n")

  private static let program = LeakVerdict.Subject.program(process: 1)
  private static let none = tests("Test Suite 'All tests' started at 1\n")
  private static let one = tests(xcTest)
  private static let two = tests(xcTest + swiftTesting)
  private static let cutOff = tests(xcTest + "◇ Test run started.\n")
  private static let xcTest = """
    Test Suite 'Selected tests' started at 2026-11-23 04:30:00.000
    Test Suite 'Selected tests' passed at 2026-11-23 04:30:01.000
    \t Executed 3 tests, with 0 failures (0 unexpected)

    """
  private static let swiftTesting = """
    ◇ Test run started.
    ✔ Test run with 1 test in 0 suites passed after 0.1 seconds.

    """

  private static func tests(_ text: String) -> LeakVerdict.Subject {
    var output = TestRunOutput()
    output.add(text.utf8)
    return .tests(output)
  }

  private static let cases: [(LeakVerdict.Subject, RunEnd, SanitizerReport, Int32, String)] = [
    (program, .exited(0), clean, 0, "no leak"),
    (program, .exited(0), screens, 1, "leaked: 2 objects, 64 bytes, from 1 stack"),
    (program, .exited(3), screens, 1, "leaked: 2 objects"),
    (program, .exited(3), clean, 2, "the program ended with status 3; no leak was found"),
    (program, .signalled(4), clean, 2, "the program ended by signal 4"),
    (program, .signalled(9), screens, 2, "leaked: 2 objects, 64 bytes, from 1 stack; the program"),
    (program, .signalled(6), wrong, 2, "a memory error ended the program"),
    (program, .exited(0), unseen, 2, "without looking for leaks"),
    (program, .exited(0), traced, 2, "cannot be traced"),
    (program, .exited(0), child, 2, "without looking for leaks"),
    (program, .exited(0), both, 0, "no leak"),
    (program, .exited(0), unread, 2, "a leak report could not be read"),
    (one, .exited(0), clean, 0, "no leak"),
    (one, .exited(0), unseen, 2, "without looking for leaks"),
    (two, .exited(0), clean, 2, "without looking for leaks"),
    (two, .exited(0), again, 2, "without looking for leaks"),
    (two, .exited(0), both, 0, "no leak"),
    (cutOff, .exited(0), both, 2, "without looking for leaks"),
    (one, .exited(0), screens, 1, "leaked: 2 objects"),
    (one, .exited(1), screens, 1, "leaked: 2 objects"),
    (one, .exited(1), clean, 2, "tests failed or crashed; no leak was found"),
    (none, .exited(0), clean, 2, "no test ran"),
  ]

  @Test(arguments: cases.indices)
  func `2.11 the status is 0 if clean, 1 for leaks, and 2 with a reason if undecided`(_ index: Int)
  {
    let (subject, end, report, status, text) = Self.cases[index]
    let verdict = LeakVerdict(subject, end: end, report)
    #expect(verdict.exitStatus == status)
    let reported = LeakText(report, in: package, showsAllFrames: false).text(verdict)
    #expect(reported.contains(text))
  }
}

@Suite struct TestRunOutputTests {
  @Test(arguments: [
    ("\t Executed 3 tests, with 0 failures (0 unexpected)\n", true),
    ("✔ Test run with 1 test in 0 suites passed after 0.1 seconds.\n", true),
    ("Executed 0 tests, with 0 failures\n✔ Test run with 0 tests in 0 suites passed\n", false),
    ("Executed 0 tests\nTest run with 12 tests\n", true),
    ("Executed 3 tests, without an end of the line", false), ("Executed many tests\n", false),
    ("", false),
  ])
  func `a test ran if either library reports one, however the output is split`(
    _ text: String, _ ran: Bool
  ) {
    for size in [1, 3, 1000] {
      var output = TestRunOutput()
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        output.add(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(output.hasRunTests == ran)
    }
  }
}
