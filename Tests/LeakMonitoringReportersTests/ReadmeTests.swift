import Foundation
import LeakMonitoring
import LeakMonitoringReporters
import Logging
import Testing

/// The README's example of reporters, compiled and run.
struct ReadmeTests {
  @Test func `the example's reporters tell what is new, in a file and at the end`() async throws {
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

  @Test func `the example in the README is what is compiled here`() throws {
    let file = URL(fileURLWithPath: #filePath)
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let text = try String(contentsOf: file, encoding: .utf8)
    // The first test alone: the pairs below say themselves what they look for.
    let own = try #require(text.components(separatedBy: "the example in the README").first)
    let example = try #require(
      readme.components(separatedBy: "```").first { $0.contains("BaselineLeakReporter(") })
    for (line, compiled) in [
      (#"contentsOf: "known.json""#, "contentsOf: baseline"),
      (#".jsonLines(appendingTo: "leaks.jsonl")"#, ".jsonLines(appendingTo: lines)"),
      (#"= .all(judge, .logging(Logger(label: "leaks")))"#, #"= .all(judge, .logging("#),
      ("judge.judgement.isFine", "judge.judgement.isFine"),
    ] {
      #expect(example.contains(line), "the README")
      #expect(own.contains(compiled), "what is compiled")
    }
  }
}
