import LeakMonitoring
import Logging
import RuntimeInspection
import Testing
import WeakCollections

@testable import LeakMonitoringReporters

/// A handler that stores the messages that it logs.
private struct KeepingHandler: LogHandler {
  final class Lines: Sendable {
    let all = MutexLock<[(level: Logger.Level, text: String, metadata: Logger.Metadata)]>([])
  }

  let lines: Lines
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let line = (event.level, "\(event.message)", event.metadata ?? [:])
    lines.all.write { $0.append(line) }
  }
}

struct LoggingLeakReporterTests {
  private let lines = KeepingHandler.Lines()

  private var logger: Logger {
    Logger(label: "test") { _ in KeepingHandler(lines: lines) }
  }

  @Test(arguments: [
    (LeakState.leaked, Logger.Level.error), (.late, .notice), (.allowed, .debug),
    (.longLived, .debug),
  ])
  func `a report is logged with its level and its figures`(
    _ state: LeakState, _ level: Logger.Level
  ) throws {
    let report = exampleReport(state)
    LoggingLeakReporter(logger).report(report)
    let line = try #require(lines.all.read { copy $0 }.first)
    #expect(line.level == level && line.text == report.message)
    #expect(line.metadata["leak.fingerprint"] == "excess App.Session")
    #expect(line.metadata["leak.live"] == "3" && line.metadata["leak.max"] == "1")
    #expect(line.metadata["leak.group"] == nil)
  }

  @Test(arguments: [true, false])
  func `the holder of each survivor is logged on its own line, if it is known`(_ isKnown: Bool)
    throws
  {
    let path = RetainPath(
      origin: .cycle, nodes: ["App.Session", "closure", "App.Session"].map { .init(typeName: $0) },
      edges: [.init(label: ".onClose"), .init(label: "capture")])
    var report = exampleReport(.leaked)
    report.survivors = [.path(path, strongCount: 1), .none(strongCount: 1)].map { finding in
      LeakSurvivor(
        typeName: "App.Session", description: "Session", age: .zero,
        retainFinding: isKnown ? finding : nil)
    }
    LoggingLeakReporter(logger).report(report)
    let line = try #require(lines.all.read { copy $0 }.first)
    let text = "App.Session holds itself: App.Session .onClose -> closure capture -> App.Session"
    #expect(line.metadata["leak.paths"] == (isKnown ? [.string(text)] : nil))
  }

  @Test func `a monitor's leaks are logged`() {
    final class Session {}
    let monitor = MemoryLeakMonitor(backend: .mutex)
    monitor.reporter = .logging(logger)
    let sessions = [Session(), Session()]
    for session in sessions { monitor.validate(session, max: 1) }
    let levels = lines.all.read { $0.map(\.level) }
    #expect(levels == [.error])
  }
}

/// Returns a report of three instances of a class that allows one.
func exampleReport(
  _ state: LeakState, live: Int = 3, finding: LeakFinding = .excess(after: nil)
) -> LeakReport {
  LeakReport(
    state: state, finding: finding, typeName: "App.Session", description: "Session",
    liveCount: live, max: 1,
    site: CallSite(fileID: #fileID, filePath: #filePath, line: 7, column: 3))
}
