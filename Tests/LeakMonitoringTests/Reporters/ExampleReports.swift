import Foundation
import LeakMonitoring

extension LeakReport {
  /// Returns a report for tests, at line 7 of a file.
  static func example(
    _ state: LeakState = .leaked, _ finding: LeakFinding = .excess(after: nil),
    type: String = "App.Session", description: String = "Session", live: Int = 2, max: Int = 1,
    group: String? = nil
  ) -> LeakReport {
    var report = LeakReport(
      state: state, finding: finding, typeName: type, description: description, liveCount: live,
      max: max, site: CallSite(fileID: "App/Session.swift", filePath: "", line: 7, column: 3))
    report.group = group
    return report
  }
}

extension LeakRecord {
  static func example(
    _ state: LeakState = .leaked, _ finding: LeakFinding = .excess(after: nil),
    type: String = "App.Session", live: Int = 2, max: Int = 1, group: String? = nil
  ) -> LeakRecord {
    LeakRecord(
      .example(state, finding, type: type, live: live, max: max, group: group),
      millisecondsSince1970: 1_800_000_000_123)
  }
}

/// A temporary folder for a test, which is removed with this object.
final class TemporaryFiles {
  let folder: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("leaks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String, containing text: String? = nil) throws -> String {
    let path = "\(folder)/\(name)"
    if let text { try text.write(toFile: path, atomically: false, encoding: .utf8) }
    return path
  }

  func text(of name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
  }
}
