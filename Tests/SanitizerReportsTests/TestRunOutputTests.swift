import SanitizerReports
import Testing

@Suite struct TestRunOutputTests {
  @Test(arguments: [
    ("\t Executed 3 tests, with 0 failures (0 unexpected)\n", true),
    ("✔ Test run with 1 test in 0 suites passed after 0.1 seconds.\n", true),
    ("Executed 0 tests, with 0 failures\n✔ Test run with 0 tests in 0 suites passed\n", false),
    ("Executed 0 tests\nTest run with 12 tests\n", true),
    ("Executed 3 tests, without an end of the line", false), ("Executed many tests\n", false),
    ("", false),
  ])
  func `a test ran if one of the two libraries says so, in whatever pieces`(
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
