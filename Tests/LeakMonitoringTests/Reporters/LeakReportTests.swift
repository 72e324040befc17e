import LeakMonitoring
import RuntimeInspection
import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Session: MemoryLeakMonitorable {
  init(_ monitor: MemoryLeakMonitor, grace: Duration? = nil) {
    monitor.validate(self, grace: grace)
  }
}

private final class Player {
  private let lifetime = LifetimeToken(of: Player.self, max: 1)
}

/// The parts of a report other than the count.
@Suite(.timeLimit(.minutes(10)))
struct ReportDetailTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `2.9 survivors have ages and source locations, the oldest first`() throws {
    let first = Session(monitor)
    clock.advance(by: .seconds(3))
    _ = Session(monitor)
    clock.advance(by: .seconds(2))
    let third = Session(monitor)
    let leak = try #require(leaks.all.last)
    #expect(leak.survivors.map(\.age) == [.seconds(5), .zero])
    #expect(leak.survivors.map(\.typeName) == Array(repeating: leak.typeName, count: 2))
    #expect(leak.survivors.map(\.site?.line) == [10, 10])
    withExtendedLifetime((first, third)) {}
  }

  @Test func `the survivor of an expectation is the expected object`() async {
    let sessions = [Session(monitor), Session(monitor)]
    clock.advance(by: .seconds(1))
    monitor.expectDeallocation(of: sessions[1], within: .zero)
    await clock.tick(20)
    let leak = await leaks.first(2)[1]
    #expect(leak.finding == .survivor(after: .zero))
    #expect(leak.survivors.count == 1)
    #expect(leak.history.isEmpty == false)
    monitor.reporter = CollectedLeaks()
    withExtendedLifetime(sessions) {}
    await endExpectation()
  }

  @Test func `a report of growth lists the instances that stayed`() {
    var kept: [Session] = []
    let monitor = monitor
    let found = MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.growth(loops: 2) { kept.append(Session(monitor)) }
    }
    #expect(found.map(\.survivors.count) == [3])
    #expect(found.first?.monitorCost?.validations == 3)
    withExtendedLifetime(kept) {}
  }

  @Test func `the history has the reported counts, and is bounded`() throws {
    var sessions: [Session] = []
    for _ in 0..<30 {
      sessions.append(Session(monitor))
      clock.advance(by: .seconds(1))
    }
    let history = try #require(leaks.all.last?.history)
    #expect(history.count == 16)
    #expect(history.first == CountSample(time: .seconds(1), liveCount: 2))
    #expect(history.last == CountSample(time: .seconds(29), liveCount: 30))
    withExtendedLifetime(sessions) {}
  }

  @Test func `the cost is that of the report's monitor, and counts its validations`() {
    let sessions = (0..<3).map { _ in Session(monitor) }
    #expect(leaks.all.last?.monitorCost?.validations == 3)
    MemoryLeakMonitor.withIsolation(in: monitor) { withExtendedLifetime(Player()) {} }
    #expect(monitor.cost.validations == 4)
    #expect(monitor.cost.total == .zero)
    withExtendedLifetime(sessions) {}
  }

  @Test func `the cost includes the time that validations take`() {
    let monitor = MemoryLeakMonitor(backend: .mutex)
    monitor.reporter = leaks
    withExtendedLifetime([Session(monitor), Session(monitor)]) {}
    #expect((leaks.all.last?.monitorCost?.total ?? .zero) > .zero)
  }

  @Test func `a late report lists no deallocated instance`() async {
    var sessions = [Session(monitor), Session(monitor, grace: .zero)]
    await clock.tick(20)
    await monitor.settle()
    sessions = []
    await clock.tick()
    let late = await leaks.first(2)[1]
    #expect(late.state == .late && late.survivors.isEmpty)
    withExtendedLifetime(sessions) {}
  }

  @Test func `a late report counts no deallocated instance`() async throws {
    let session = Session(monitor)
    var another: Session? = Session(monitor, grace: .zero)
    await clock.tick(20)
    await monitor.settle()
    another = nil
    await clock.tick()
    let late = await leaks.first(2)[1]
    #expect(late.state == .late && late.survivors.count == 1)
    #expect(late.history.map(\.liveCount) == [2])
    // Concerns instances. A backtrace may have more calls than the text shows.
    #expect(!late.text.contains("\n  and "), "\(late.text)")
    withExtendedLifetime((session, another)) {}
  }

  #if os(Linux) && DEBUG
    @Test func `a backtrace begins with the object's initializer, not the monitor's calls`() throws
    {
      let session = makeSession()
      let another = makeSession()
      let backtraces = try #require(leaks.all.last).survivors.compactMap(\.backtrace)
      #expect(backtraces.count == 2)
      for frames in backtraces.map(\.frames) {
        #expect(frames.first?.contains("Session.init") == true)
        #expect(frames.contains { $0.contains("makeSession") })
        #expect(!frames.contains { $0.contains("MemoryLeakMonitor.") })
      }
      withExtendedLifetime((session, another)) {}
    }

    @Test func `a token's backtrace begins with the initializer of its object`() throws {
      MemoryLeakMonitor.withIsolation(in: monitor) {
        withExtendedLifetime([Player(), Player()]) {}
      }
      let frames = try #require(leaks.all.last?.survivors.first?.backtrace).frames
      #expect(frames.first?.contains("Player") == true, "\(frames)")
      #expect(monitor.cost.backtraces == 2)
    }
  #endif

  @inline(never)
  private func makeSession() -> Session { Session(monitor) }

  /// Ends the expectation, which polls after its report until its object is deallocated.
  private func endExpectation() async {
    await clock.tick()
  }
}

struct LeakReportTextTests {
  private let site = CallSite(
    fileID: "App/Session.swift", filePath: "/App/Session.swift", line: 8, column: 3)

  @Test func `long lists are limited, and end with the number of further items`() {
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
        "  alive, oldest first:",
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

  @Test func `a report with only a count is its message and its source location`() {
    let report = LeakReport(
      typeName: "App.Session", description: "Session", liveCount: 2, max: 1, site: site)
    #expect(report.text == report.message + "\n  found at App/Session.swift:8")
  }

  @Test func `backtraces are symbolicated when the text is read, not before`() {
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

struct TypeNameTests {
  @Test func `D 0.c: the name of a local class contains no address`() {
    final class Local {}
    #expect(TypeName.stable(Local.self) == "LeakMonitoringTests.TypeNameTests.Local")
    #expect(
      TypeName.stable(Box<Local>.self)
        == "LeakMonitoringTests.Box<LeakMonitoringTests.TypeNameTests.Local>")
  }

  @Test func `other names are unchanged`() {
    #expect(nameWithoutAddresses("App.Screen.Model<Swift.Int>") == "App.Screen.Model<Swift.Int>")
  }
}

final class Box<Content> {}
