import SeededTesting
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

  @Test func `3.1 what a running task holds counts until it died late`() {
    let survivor = LeakFinding.survivor(after: .seconds(1))
    let retained = LeakRecord.example(.retainedByRunningTask, survivor, live: 1, max: 0)
    #expect(counts(retained, retained) == ["survivor App.Session": 2])
    #expect(counts(retained, .example(.late, survivor, live: 1, max: 0)).isEmpty)
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

  @Test func `the greatest that still holds counts, whatever comes and goes`() {
    var (tally, held) = (LeakTally(), [Int]())
    let fingerprint = LeakRecord.example().fingerprint
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      // Near to each other and far apart, so that both ways to the next lower one are taken.
      let excess = Int.random(in: 1...6, using: &random) * (Bool.random(using: &random) ? 1 : 1_000)
      if Bool.random(using: &random) {
        tally.add(.example(live: 1 + excess))
        held.append(excess)
      } else {
        tally.add(.example(.late, live: 1 + excess))
        held.firstIndex(of: excess).map { _ = held.remove(at: $0) }
      }
      #expect(tally.count(of: fingerprint) == held.max() ?? 0)
    }
  }

  @Test func `of what is about one instance each report counts`() {
    #expect(counts(.example(), .example(.leaked, .unbinding)).count == 2)
    #expect(
      counts(.example(.leaked, .unbinding), .example(.leaked, .unbinding))
        == ["unbinding App.Session": 2])
    #expect(
      counts(
        .example(.leaked, .survivor(after: .zero)), .example(.leaked, .survivor(after: .zero)))
        == ["survivor App.Session": 2])
  }

  /// As many steps as reports; if each looked at all others, hours.
  @Test(.timeLimit(.minutes(10))) func `a report costs the same however many there were`() {
    var tally = LeakTally()
    let fingerprint = LeakRecord.example().fingerprint
    var (leaked, late) = (LeakRecord.example(), LeakRecord.example(.late))
    let most = 100_000
    for excess in 1...most {
      leaked.liveCount = 1 + excess
      tally.add(leaked)
      precondition(tally.count(of: fingerprint) == excess)
    }
    for excess in (1...most).reversed() {
      late.liveCount = 1 + excess
      tally.add(late)
      precondition(tally.count(of: fingerprint) == excess - 1)
    }
    #expect(tally == LeakTally())
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
