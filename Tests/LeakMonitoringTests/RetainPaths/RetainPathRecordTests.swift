import RuntimeInspection
import Testing

@testable import LeakMonitoring

struct RetainPathRecordTests {
  private static let paths: [RetainPath] = [
    RetainPath(
      origin: .cycle, nodes: ["App.Session", "closure", "App.Session"].map { .init(typeName: $0) },
      edges: [.init(label: ".onClose"), .init(label: "capture")]),
    RetainPath(
      origin: .root("the \"window\""), nodes: [.init(typeName: "App.Session")], edges: []),
    RetainPath(
      origin: .runningTask, nodes: ["task", "App.Session"].map { .init(typeName: $0) },
      edges: [.init(label: "frame of a task", isProbable: true)]),
  ]

  private func report(_ path: RetainPath) -> LeakReport {
    var report = LeakReport.example()
    report.survivors = [
      LeakSurvivor(
        typeName: "App.Session", description: "Session", age: .zero,
        retainFinding: .path(path, strongCount: 1))
    ]
    return report
  }

  @Test(arguments: paths) func `a path is written and read`(_ path: RetainPath) throws {
    let record = LeakRecord(report(path), millisecondsSince1970: 1)
    #expect(record.survivors[0].path == path)
    #expect(try LeakRecord(jsonLine: record.jsonLine.utf8, of: "a", number: 1) == record)
  }

  @Test(arguments: [
    (
      #""edges":[{"label":".onClose","isProbable":false},"#, #""edges":["#,
      "an edge between each two nodes"
    ),
    (#""origin":"cycle""#, #""origin":"lost""#, "one of cycle, root, runningTask for 'origin'"),
    (#""origin":"cycle""#, #""origin":"root""#, "'root' in the object"),
    (#""isProbable":false},"#, #""isProbable":0},"#, "true or false for 'isProbable'"),
  ])
  func `a path that is none is refused`(_ text: String, _ bad: String, _ expected: String) {
    let line = LeakRecord(report(Self.paths[0]), millisecondsSince1970: 1).jsonLine
    #expect(line.contains(text))
    let error = #expect(throws: LeakFileError.self) {
      try LeakRecord(jsonLine: line.replacing(text, with: bad).utf8, of: "a", number: 1)
    }
    #expect(error?.description.hasSuffix("expected \(expected)") == true)
  }

  @Test func `JUnit's message has the path`() {
    let reporter = JUnitLeakReporter(file: "")
    reporter.report(report(Self.paths[0]))
    #expect(reporter.kept.cases.values.first?.messages[0].contains(".onClose -> closure") == true)
  }
}
