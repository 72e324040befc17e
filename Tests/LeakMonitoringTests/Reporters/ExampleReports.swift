import LeakMonitoring

extension LeakReport {
  /// As a test needs one; at line 7 of this file.
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
