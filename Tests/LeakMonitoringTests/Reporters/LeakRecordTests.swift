import Testing

@testable import LeakMonitoring
@testable import LeakReports

struct LeakRecordTests {
  @Test func `a line has the documented keys in the documented order`() {
    let record = LeakRecord.example(.leaked, .excess(after: .milliseconds(250)), group: "Checkout")
    #expect(
      record.jsonLine
        == #"{"schema":1,"time":1800000000123,"fingerprint":"excess group Checkout","#
        + #""state":"leaked","finding":"excess","after":0.25,"type":"App.Session","#
        + #""description":"Session","group":"Checkout","live":2,"max":1,"#
        + #""file":"App/Session.swift","line":7,"column":3,"message":""# + record.message + #""}"#)
  }

  @Test(arguments: LeakState.allCases)
  func `a written record can be read, in every state`(_ state: LeakState) throws {
    let findings: [LeakFinding] = [
      .excess(after: nil), .excess(after: .milliseconds(1500)), .survivor(after: .seconds(1)),
      .growth([0, 1, 2]), .unbinding,
    ]
    for finding in findings {
      for group in [nil, "a \"b\"\\\n\t\u{1}\u{2028}é😀"] {
        let record = LeakRecord.example(state, finding, group: group)
        #expect(!record.jsonLine.contains { $0.isNewline })
        #expect(
          try LeakRecord(jsonLine: record.jsonLine.utf8, of: "a", number: 1) == record)
      }
    }
  }

  @Test func `survivors, history and cost are written and read`() throws {
    var report = LeakReport.example()
    report.survivors = (0..<30).map { age in
      LeakSurvivor(
        typeName: "App.Session", description: "Session", age: .seconds(age),
        site: age == 0 ? report.site : nil)
    }
    report.history = [
      CountSample(time: .zero, liveCount: 0), CountSample(time: .milliseconds(1500), liveCount: 2),
    ]
    report.monitorCost = MonitorCost(validations: 7, backtraces: 2, total: .milliseconds(1))
    let record = LeakRecord(report, millisecondsSince1970: 5)
    #expect(record.survivors.count == 20 && record.survivors[0].line == 7)
    #expect(
      record.jsonLine.hasSuffix(
        #","cost":{"validations":7,"backtraces":2,"seconds":0.001}}"#))
    #expect(record.jsonLine.contains(#""history":[[0.0,0],[1.5,2]]"#))
    #expect(try LeakRecord(jsonLine: record.jsonLine.utf8, of: "a", number: 1) == record)
  }

  @Test(arguments: [(-3, -3), (.max, 1 << 53), (.min, -(1 << 53))])
  func `a limit of any size is written and read, as far as numbers are exact`(
    _ max: Int, _ read: Int
  ) throws {
    let record = LeakRecord.example(max: max)
    #expect(try LeakRecord(jsonLine: record.jsonLine.utf8, of: "a", number: 1).max == read)
  }

  @Test func `times, ages and counts below 0 are written as 0`() throws {
    var report = LeakReport.example(.leaked, .excess(after: .seconds(-1)), live: -2)
    report.survivors = [
      LeakSurvivor(typeName: "A", description: "A", age: .seconds(-1), site: nil)
    ]
    report.history = [CountSample(time: .seconds(-1), liveCount: -1)]
    report.monitorCost = MonitorCost(validations: -1, backtraces: -1, total: .seconds(-1))
    let line = LeakRecord(report, millisecondsSince1970: -5).jsonLine
    let record = try LeakRecord(jsonLine: line.utf8, of: "a", number: 1)
    #expect(record.millisecondsSince1970 == 0 && record.finding == .excess(after: .zero))
    #expect(record.liveCount == 0 && record.survivors.map(\.age) == [.zero])
    #expect(record.history == [CountSample(time: .zero, liveCount: 0)])
    #expect(record.cost == MonitorCost(validations: 0, backtraces: 0, total: .zero))
    report.finding = .growth([-1, 2])
    let growth = LeakRecord(report, millisecondsSince1970: 1).jsonLine
    #expect(
      try LeakRecord(jsonLine: growth.utf8, of: "a", number: 1).finding == .growth([0, 2]))
  }

  @Test func `unknown keys are ignored, for later versions`() throws {
    let record = LeakRecord.example()
    let line = record.jsonLine.dropLast() + #","later":[{"a":null},true,-1.5e3]}"#
    #expect(try LeakRecord(jsonLine: line.utf8, of: "a", number: 1) == record)
  }

  @Test(arguments: [
    (#""live":2"#, #""live":-2"#, 8, "a whole number of at least 0 for 'live'"),
    (#""live":2"#, #""live":1.5"#, 8, "a whole number of at least 0 for 'live'"),
    (
      #""state":"leaked""#, #""state":"lost""#, 9,
      "one of leaked, retainedByRunningTask, late, allowed, longLived for 'state'"
    ),
    (#""schema":1"#, #""schema":2"#, 10, "schema 1, not 2"),
    (#""max":1"#, #""max":1,"max":1"#, 9, "the name 'max' only once"),
    (#""max":1"#, #""max":01"#, 7, "a value"),
  ])
  func `a line that is not a record is refused with its line and column`(
    _ text: String, _ bad: String, _ column: Int, _ expected: String
  ) throws {
    let line = LeakRecord.example().jsonLine
    let start = try #require(line.firstRange(of: text)).lowerBound
    let before = line[..<start].count
    let error = LeakFileError.malformed(
      file: "leaks.jsonl", line: 4, column: before + column, expected: expected)
    #expect(throws: error) {
      try LeakRecord(
        jsonLine: line.replacing(text, with: bad).utf8, of: "leaks.jsonl", number: 4)
    }
  }

  @Test func `a truncated line is refused at its end, and a line without a required key`() {
    let line = LeakRecord.example().jsonLine
    #expect(
      throws: LeakFileError.malformed(
        file: "a", line: 1, column: line.count, expected: "',' or '}'")
    ) {
      try LeakRecord(jsonLine: line.dropLast().utf8, of: "a", number: 1)
    }
    #expect(
      throws: LeakFileError.malformed(
        file: "a", line: 1, column: 1, expected: "'schema' in the object")
    ) {
      try LeakRecord(jsonLine: "{}".utf8, of: "a", number: 1)
    }
  }

  @Test func `a file's records are read, and an error names the file's first malformed line`()
    throws
  {
    let files = try TemporaryFiles()
    let line = LeakRecord.example().jsonLine
    let good = try files.path("good.jsonl", containing: "\(line)\n\n\(line)\r\n")
    #expect(try LeakRecord.records(inFile: good) == [.example(), .example()])
    let bad = try files.path("bad.jsonl", containing: "\(line)\n[]\n")
    #expect(throws: LeakFileError.self) { try LeakRecord.records(inFile: bad) }
    do {
      _ = try LeakRecord.records(inFile: bad)
    } catch {
      #expect("\(error)" == "\(bad):2:1: expected an object: a leak report")
    }
    #expect(
      throws: LeakFileError.unreadable(file: "/none", reason: "No such file or directory")
    ) {
      try LeakRecord.records(inFile: "/none")
    }
  }
}

struct JSONParserTests {
  private func text(_ json: String) throws -> String? {
    guard case .text(let text) = try JSONParser.parse(Array(json.utf8)).content else { return nil }
    return text
  }

  @Test(arguments: [
    (#""""#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9é""#, "éé"),
    (#""\ud83d\ude00""#, "😀"), (#"  "a" "#, "a"),
  ])
  func `strings are read`(_ json: String, _ expected: String) throws {
    #expect(try text(json) == expected)
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("12.5", 12.5), ("1e-05", 1e-5), ("-3E+2", -300),
  ])
  func `numbers are read`(_ json: String, _ expected: Double) throws {
    guard case .number(let number) = try JSONParser.parse(Array(json.utf8)).content else {
      Issue.record("no number")
      return
    }
    #expect(number == expected)
  }

  @Test(arguments: [
    ("", 0), ("{", 1), ("[1,]", 3), ("[1 2]", 3), (#"{"a" 1}"#, 5), (#"{a:1}"#, 1), ("tru", 0),
    ("nan", 0), ("+1", 0), (".5", 0), ("1.", 0), ("01", 0), ("-", 0), ("1e999", 0), ("1 2", 2),
    (#""a"#, 2), ("\"\n\"", 1), (#""\x""#, 2), (#""\u12""#, 3), (#""\ud83d""#, 1),
    (#""\ude00""#, 1), (#""\ud83d\u0041""#, 1), (#""\u+123""#, 3), (#""\u-000""#, 3),
    ("0x1p3", 1), ("1.e5", 0),
  ])
  func `malformed JSON is refused at its first error`(_ json: String, _ offset: Int) {
    do {
      _ = try JSONParser.parse(Array(json.utf8))
      Issue.record("\(json) was read")
    } catch {
      #expect(error.offset == offset, "\(json): expected \(error.expected)")
    }
  }

  @Test func `invalid UTF-8, and too many levels, are refused`() {
    #expect(throws: JSONError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError.self) { try JSONParser.parse(Array(deep.utf8)) }
    let fine = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try JSONParser.parse(Array(fine.utf8)) }
  }

  @Test func `a location counts lines and scalars`() {
    let error = JSONError(offset: "a\né😀x".utf8.count - 1, expected: "y")
    #expect(
      error.located(in: "a\né😀x".utf8, of: "f", firstLine: 3)
        == .malformed(file: "f", line: 4, column: 3, expected: "y"))
  }
}
