import LeakReports

extension SanitizerReport {
  /// JUnit XML: a failed test case for each leak and each memory error, a passed one if there is none. What
  /// left the question undecided is a failure too.
  package func jUnit(_ verdict: LeakVerdict, in source: SourceRoot) -> String {
    var cases = memoryErrors.map { error in
      testCase("memory error", error.kind, error.frames, in: source)
    }
    cases += leaks.map { leak in
      let what = "\(leak.title(in: source)), \(LeakText.amount(leak))"
      return testCase("leak", what, className: leak.title(in: source), leak.frames, in: source)
    }
    switch verdict {
    case .undecided(let why):
      let outcome = JUnitDocument.Outcome.failed(type: "undecided", message: why, details: why)
      cases.append(.init(className: "findleaks", name: "undecided", outcome))
    case .clean:
      cases.append(.init(className: "findleaks", name: "no leak", .passed()))
    case .leaks, .memoryError: break
    }
    return JUnitDocument(suite: "leaks", cases: cases).text
  }

  private func testCase(
    _ type: String, _ what: String, className: String = "findleaks", _ frames: [StackFrame],
    in source: SourceRoot
  ) -> JUnitDocument.TestCase {
    let place = source.firstPlace(in: frames)
    let stack = frames.map { "\($0.function) \(source.place(of: $0) ?? "")" }
    return JUnitDocument.TestCase(
      className: className, name: type, file: place.flatMap(source.relativePath), line: place?.line,
      .failed(type: type, message: what, details: ([what] + stack).joined(separator: "\n")))
  }
}
