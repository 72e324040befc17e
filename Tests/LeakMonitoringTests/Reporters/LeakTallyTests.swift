import SeededTesting
import Testing

@testable import LeakMonitoring

struct LeakTallyTests {
  private func counts(_ records: LeakRecord...) -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: LeakTally(of: records).counts.map { ($0.key.text, $0.value) })
  }

  @Test func `of several excesses the greatest counts, until it is deallocated late`() {
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

  @Test func `3.1 an object that a running task retains counts until it is deallocated late`() {
    let survivor = LeakFinding.survivor(after: .seconds(1))
    let retained = LeakRecord.example(.retainedByRunningTask, survivor, live: 1, max: 0)
    #expect(counts(retained, retained) == ["survivor App.Session": 2])
    #expect(counts(retained, .example(.late, survivor, live: 1, max: 0)).isEmpty)
  }

  @Test func `allowed and long-lived objects, and late ones without a report, are no leaks`() {
    #expect(counts(.example(.allowed), .example(.longLived), .example(.late)).isEmpty)
  }

  @Test func `groups and kinds of findings are separate leaks`() {
    #expect(
      counts(
        .example(), .example(group: "Checkout"), .example(.leaked, .growth([1, 2, 3]), live: 3))
        == [
          "excess App.Session": 1, "excess group Checkout": 1, "growth App.Session": 2,
        ])
  }

  @Test func `the greatest excess that still holds counts, for random additions and removals`() {
    var (tally, held) = (LeakTally(), [Int]())
    let fingerprint = LeakRecord.example().fingerprint
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      // Small and large excesses, so that both ways to find the next lower one are taken.
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

  @Test func `each report about a single instance counts`() {
    #expect(counts(.example(), .example(.leaked, .unbinding)).count == 2)
    #expect(
      counts(.example(.leaked, .unbinding), .example(.leaked, .unbinding))
        == ["unbinding App.Session": 2])
    #expect(
      counts(
        .example(.leaked, .survivor(after: .zero)), .example(.leaked, .survivor(after: .zero)))
        == ["survivor App.Session": 2])
  }

  /// Takes linear time; if each report searched the others, it would take hours.
  @Test(.timeLimit(.minutes(10)))
  func `the cost of a report does not depend on the number of reports`() {
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

  @Test func `a fingerprint contains neither addresses nor lines`() {
    #expect(
      LeakFingerprint(of: .example(type: "App.(unknown context at $7f12ab).Session"))
        == LeakFingerprint(of: .example(type: "App.(unknown context at $1234).Session")))
    var elsewhere = LeakReport.example(live: 9)
    elsewhere.site = CallSite(fileID: "App/Other.swift", filePath: "", line: 99, column: 1)
    #expect(LeakFingerprint(of: .example()) == LeakFingerprint(of: elsewhere))
  }
}
