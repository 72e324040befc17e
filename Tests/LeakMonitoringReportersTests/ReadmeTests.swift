import Foundation
import LeakMonitoring
import LeakMonitoringReporters
import Logging
import Testing

/// Runs the example of reporters from the article *Monitoring a program*, with temporary files.
struct ReadmeTests {
  @Test func `the example's reporters write new leaks to a file and judge the run at its end`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (baseline, lines) = (folder.path + "/known.json", folder.path + "/leaks.jsonl")
    let fingerprint = LeakFingerprint(text: "excess App.Session")
    try LeakBaseline([.init(fingerprint, count: 2, reason: "r")]).write(to: baseline)

    let known = try LeakBaseline(contentsOf: baseline)
    let judge = BaselineLeakReporter(known, telling: try .jsonLines(appendingTo: lines))
    let reporter: any LeakReporter = .all(judge, .logging(Logger(label: "leaks")))
    reporter.report(exampleReport(.leaked, live: 3))
    #expect(judge.judgement.isFine)
    reporter.report(exampleReport(.leaked, live: 4))
    #expect(!judge.judgement.isFine)
    #expect(try LeakRecord.records(inFile: lines).map(\.state) == [.allowed, .leaked])
  }
}

/// The example itself, which is only compiled, because it changes the shared monitor.
private func runExample() async throws {
  let known = try LeakBaseline(contentsOf: "known.json")
  let judge = BaselineLeakReporter(known, telling: try .jsonLines(appendingTo: "leaks.jsonl"))
  MemoryLeakMonitor.shared.reporter = .all(judge, .logging(Logger(label: "leaks")))
  // … the run …
  await MemoryLeakMonitor.shared.settle()
  if !judge.judgement.isFine { print(judge.judgement) }
}
