import ProgramTesting
import LeakMonitoring
import Testing

@testable import leakwatch

struct WatchTableTests {
  @Test(arguments: [
    ([], 8, ""), ([0, 0], 8, "▁▁"), ([0, 7], 8, "▁█"), ([0, 1, 2, 3, 4, 5, 6, 7], 8, "▁▂▃▄▅▆▇█"),
    ([1, 2, 3, 4], 2, "▄█"), ([9], 0, ""), ([1000, 1, 1, 1], 2, "█▁"),
  ])
  func `a sparkline fits the width, and each column shows its greatest count`(
    _ counts: [Int], _ width: Int, _ text: String
  ) {
    #expect(Sparkline.text(of: counts, width: width) == text)
  }

  @Test func `2.7 the table is aligned, and ends with totals`() {
    var watched = WatchedLeaks(startedAt: 1_800_000_000_000)
    watched.note(.example(live: 3, after: 1000))
    watched.note(.example(live: 5, after: 61_000))
    watched.note(
      .example(.leaked, .survivor(after: .seconds(1)), type: "App.Screen", live: 1, max: 0))
    #expect(
      WatchTable(watched).lines(width: 80) == [
        "CLASS        LIVE  MAX  LEAKED  LATE  HISTORY",
        "App.Session     5    1       4     0  ▅█",
        "App.Screen      –    –       1     0",
        "",
        "2 classes and groups, 2 leaks of 5 instances in 1 min 1 s",
      ])
    #expect(
      WatchTable(WatchedLeaks()).lines(width: 80) == [
        "0 classes and groups, 0 leaks of 0 instances in 0 s"
      ])
  }

  @Test func `names are truncated at the front, and cannot move the cursor`() {
    var watched = WatchedLeaks()
    watched.note(liveCounts: [String(repeating: "x", count: 100) + "\u{1B}[2J.Session": 1], at: 0)
    let lines = WatchTable(watched).lines(width: 80)
    #expect(lines[1].hasPrefix("…xxx") && lines[1].contains(" [2J.Session"))
    #expect(lines.allSatisfy { !$0.contains("\u{1B}") && $0.count <= 80 })
  }

  @Test func `a drawing replaces the one before, and fits the terminal`() {
    var screen = WatchScreen()
    #expect(
      screen.text(for: ["abc", "de"], width: 80, height: 24)
        == "abc\u{1B}[K\nde\u{1B}[K\n\u{1B}[J")
    #expect(
      screen.text(for: ["abcdef", "g", "h"], width: 4, height: 3)
        == "\u{1B}[2A\rabc…\u{1B}[K\ng\u{1B}[K\n\u{1B}[J")
    #expect(screen.clear() == "\u{1B}[2A\r\u{1B}[J")
    #expect(screen.clear().isEmpty)
  }
}
