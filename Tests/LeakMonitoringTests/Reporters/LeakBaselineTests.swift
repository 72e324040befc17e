import Testing

@testable import LeakMonitoring
@testable import LeakReports

struct LeakBaselineTests {
  private let day = CalendarDay("2026-11-22")!

  private func fingerprint(_ name: String) -> LeakFingerprint {
    LeakFingerprint(text: "excess App.\(name)")
  }

  private func tally(_ counts: KeyValuePairs<String, Int>) -> LeakTally {
    LeakTally(of: counts.map { .example(type: "App.\($0)", live: 1 + $1) })
  }

  @Test func `a run with exactly the known leaks is fine`() {
    let baseline = LeakBaseline([.init(fingerprint("A"), count: 2, reason: "r", expires: day)])
    let judgement = baseline.judge(tally(["A": 2]), on: day)
    #expect(judgement.isFine && judgement.knownCount == 1)
    #expect("\(judgement)" == "1 known leak, 0 new, outdated or expired")
  }

  @Test func `new, grown, gone, shrunk and expired leaks each fail`() {
    let baseline = LeakBaseline([
      .init(fingerprint("Grown"), count: 1, reason: "r"),
      .init(fingerprint("Gone"), count: 1, reason: "r", expires: CalendarDay("2020-01-01")),
      .init(fingerprint("Shrunk"), count: 3, reason: "r"),
      .init(fingerprint("Expired"), count: 1, reason: "r", expires: CalendarDay("2026-11-21")),
    ])
    let judgement = baseline.judge(
      tally(["Grown": 2, "Shrunk": 2, "Expired": 1, "New": 5]), on: day)
    #expect(!judgement.isFine)
    #expect(
      judgement.findings == [
        .expired(fingerprint("Expired"), on: CalendarDay("2026-11-21")!, found: 1),
        .outdated(fingerprint("Gone"), known: 1, found: 0),
        .new(fingerprint("Grown"), known: 1, found: 2),
        .new(fingerprint("New"), known: 0, found: 5),
        .outdated(fingerprint("Shrunk"), known: 3, found: 2),
      ])
    #expect(
      "\(judgement)" == """
        expired: excess App.Expired: 1, known until 2026-11-21
        outdated: excess App.Gone: none; remove the entry, which says 1
        new: excess App.Grown: 2, of which 1 is known
        new: excess App.New: 5
        outdated: excess App.Shrunk: 2; lower the entry, which says 3
        0 known leaks, 5 new, outdated or expired
        """)
  }

  @Test func `a written baseline can be read, and a new one keeps its reasons`() throws {
    let files = try TemporaryFiles()
    let path = try files.path("known.json", containing: "old")
    let baseline = LeakBaseline([
      .init(fingerprint("B"), count: 2, reason: "a \"b\" c", expires: day),
      .init(fingerprint("A"), count: 1, reason: "r"),
    ])
    try baseline.write(to: path)
    #expect(try LeakBaseline(contentsOf: path) == baseline)
    #expect(try files.names == ["known.json"], "no temporary file is left")
    #expect(
      try files.text(of: "known.json") == #"""
        {
          "schema": 1,
          "leaks": [
            {"fingerprint":"excess App.A","count":1,"reason":"r"},
            {"fingerprint":"excess App.B","count":2,"reason":"a \"b\" c","expires":"2026-11-22"}
          ]
        }

        """#)
    let next = LeakBaseline(of: tally(["B": 3, "C": 1]), reason: "found", keeping: baseline)
    #expect(
      next.entries == [
        .init(fingerprint("B"), count: 3, reason: "a \"b\" c", expires: day),
        .init(fingerprint("C"), count: 1, reason: "found"),
      ])
    #expect(try LeakBaseline(json: LeakBaseline([]).json, name: "a") == LeakBaseline([]))
  }

  @Test(arguments: [
    (#"{"schema": 1, "leaks": []"#, 1, 26, "',' or '}'"),
    ("{\"schema\": 1,\n \"leaks\": {}}", 2, 11, "an array for 'leaks'"),
    ("{\"schema\": 1,\n \"leaked\": []}", 2, 2, "one of the names schema, leaks"),
    (#"{"schema": 3, "leaks": []}"#, 1, 12, "schema 1, not 3"),
    (entry(#""fingerprint": "a", "reason": "r""#), 2, 1, "'count' in the object"),
    (
      entry(#""fingerprint": "a", "reason": "r", "count": 0"#), 2, 46,
      "a count of at least 1; remove the entry of a fixed leak"
    ),
    (
      entry(#""fingerprint": "a", "reason": "r", "count": 1, "expires": "2026-02-29""#), 2, 60,
      "a day such as \"2027-01-31\""
    ),
    (
      entry(#""fingerprint": "a", "reason": "r", "count": 1, "until": "x""#), 2, 49,
      "one of the names fingerprint, count, reason, expires"
    ),
  ])
  func `a file that is not a baseline is refused with its line and column`(
    _ json: String, _ line: Int, _ column: Int, _ expected: String
  ) {
    #expect(
      throws: LeakFileError.malformed(
        file: "known.json", line: line, column: column, expected: expected)
    ) {
      try LeakBaseline(json: json, name: "known.json")
    }
  }

  @Test func `two entries of one leak, and a missing file, are refused`() throws {
    let entry = #"{"fingerprint": "a", "count": 1, "reason": "r"}"#
    #expect(
      throws: LeakFileError.malformed(
        file: "a", line: 2, column: 1, expected: "only one entry for 'a'")
    ) {
      try LeakBaseline(json: "{\"schema\": 1, \"leaks\": [\(entry),\n\(entry)]}", name: "a")
    }
    #expect(throws: LeakFileError.self) { try LeakBaseline(contentsOf: "/none") }
    #expect(throws: LeakFileError.self) { try LeakBaseline([]).write(to: "/none/known.json") }
  }

  private static func entry(_ members: String) -> String {
    "{\"schema\": 1, \"leaks\": [\n{\(members)}]}"
  }
}

struct CalendarDayTests {
  @Test(arguments: ["2026-11-22", "2024-02-29", "2000-02-29", "1970-01-01", "9999-12-31"])
  func `a day is read and written`(_ text: String) throws {
    #expect(try #require(CalendarDay(text)).description == text)
  }

  @Test(arguments: [
    "", "2026-11", "2026-13-01", "2026-00-01", "2026-04-31", "1900-02-29", "2026-1-01",
    "+026-01-01", "2026-01-01x", "٢٠٢٦-01-01",
  ])
  func `a text that is not a day is refused`(_ text: String) {
    #expect(CalendarDay(text) == nil)
  }

  @Test(arguments: [
    (0, "1970-01-01"), (86_399, "1970-01-01"), (951_782_400, "2000-02-29"),
    (1_795_305_600, "2026-11-22"), (4_107_542_400, "2100-03-01"),
  ])
  func `a time has the day that contains it`(_ seconds: Int, _ day: String) {
    #expect(CalendarDay(secondsSince1970: seconds).description == day)
  }

  @Test func `days are ordered by date`() throws {
    let days = try ["2025-12-31", "2026-01-01", "2026-01-02", "2026-02-01"].map {
      try #require(CalendarDay($0))
    }
    #expect(days == days.sorted() && days[0] < days[1] && days[2] < days[3])
    #expect(CalendarDay.today > days[0])
  }
}
