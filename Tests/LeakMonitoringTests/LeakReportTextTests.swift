import LeakMonitoring
import Testing
import WeakCollections

struct LeakReportTextTests {
  private let site = CallSite(
    fileID: "App/Session.swift", filePath: "/App/Session.swift", line: 8, column: 3)

  @Test func `what is many is bounded, and says how many more there are`() {
    let backtrace = CreationBacktrace { (1...9).map { "call \($0)" } }
    let report = LeakReport(
      typeName: "App.Session", description: "Session", liveCount: 20, max: 1, site: site,
      survivors: (0..<9).map { number in
        LeakSurvivor(
          typeName: "App.Session", description: "Session", age: .seconds(9 - number),
          backtrace: number == 0 ? backtrace : nil)
      },
      history: (1...12).map { CountSample(time: .seconds($0), liveCount: $0) })
    let lines = report.text.split(separator: "\n").dropFirst(2)
    #expect(
      Array(lines) == [
        "  alive, the oldest first:",
        "  1. Session, 9.0 s old",
        "       call 1", "       call 2", "       call 3", "       call 4", "       call 5",
        "       call 6", "       and 3 more",
        "  2. Session, 8.0 s old",
        "  3. Session, 7.0 s old",
        "  4. Session, 6.0 s old",
        "  5. Session, 5.0 s old",
        "  and 15 more",
        "  the count: and 4 more before, 5 after 5.0 s, 6 after 6.0 s, 7 after 7.0 s, "
          + "8 after 8.0 s, 9 after 9.0 s, 10 after 10.0 s, 11 after 11.0 s, 12 after 12.0 s",
      ])
  }

  @Test func `a report of nothing but a count is its message and its place`() {
    let report = LeakReport(
      typeName: "App.Session", description: "Session", liveCount: 2, max: 1, site: site)
    #expect(report.text == report.message + "\n  found at App/Session.swift:8")
  }

  @Test func `backtraces are looked up when the text is asked for, not before`() {
    let asked = MutexLock(0)
    let backtrace = CreationBacktrace {
      asked.write { $0 += 1 }
      return ["call"]
    }
    let survivor = LeakSurvivor(
      typeName: "App.Session", description: "Session", age: .zero, backtrace: backtrace)
    let report = LeakReport(
      typeName: "App.Session", description: "Session", liveCount: 1, max: 0, site: site,
      survivors: [survivor])
    _ = report.message
    #expect(asked.read { copy $0 } == 0)
    #expect(report.text.contains("       call"))
    #expect(asked.read { copy $0 } == 1)
  }
}
