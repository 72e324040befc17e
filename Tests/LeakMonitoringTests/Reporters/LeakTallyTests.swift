import Testing

@testable import LeakMonitoring

struct LeakTallyTests {
  private func counts(_ records: LeakRecord...) -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: LeakTally(of: records).counts.map { ($0.key.text, $0.value) })
  }

  @Test func `of too many the greatest excess counts, until that died late`() {
    #expect(
      counts(.example(live: 2), .example(live: 4), .example(live: 3)) == ["excess App.Session": 3])
    #expect(
      counts(.example(live: 2), .example(live: 4), .example(.late, live: 4))
        == ["excess App.Session": 1])
    #expect(counts(.example(live: 2), .example(.late, live: 2)).isEmpty)
  }

  @Test func `each survivor counts`() {
    let leaked = LeakRecord.example(.leaked, .survivor(after: .seconds(1)), live: 1, max: 0)
    let late = LeakRecord.example(.late, .survivor(after: .seconds(1)), live: 1, max: 0)
    #expect(counts(leaked, leaked, leaked, late) == ["survivor App.Session": 2])
    #expect(counts(late, leaked, late).isEmpty)
  }

  @Test func `what is allowed or long-lived, or late without a report, is no leak`() {
    #expect(counts(.example(.allowed), .example(.longLived), .example(.late)).isEmpty)
  }

  @Test func `groups and kinds are leaks of their own`() {
    #expect(
      counts(
        .example(), .example(group: "Checkout"), .example(.leaked, .growth([1, 2, 3]), live: 3))
        == [
          "excess App.Session": 1, "excess group Checkout": 1, "growth App.Session": 2,
        ])
  }

  @Test func `a fingerprint has neither addresses nor lines in it`() {
    #expect(
      LeakFingerprint(of: .example(type: "App.(unknown context at $7f12ab).Session"))
        == LeakFingerprint(of: .example(type: "App.(unknown context at $1234).Session")))
    var elsewhere = LeakReport.example(live: 9)
    elsewhere.site = CallSite(fileID: "App/Other.swift", filePath: "", line: 99, column: 1)
    #expect(LeakFingerprint(of: .example()) == LeakFingerprint(of: elsewhere))
  }
}
