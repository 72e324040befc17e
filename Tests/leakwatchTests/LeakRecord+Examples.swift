import LeakMonitoring

extension LeakRecord {
  static func example(
    _ state: LeakState = .leaked, _ finding: LeakFinding = .excess(after: nil),
    type: String = "App.Session", live: Int = 2, max: Int = 1, group: String? = nil,
    history: [CountSample] = [], after milliseconds: Int = 0
  ) -> LeakRecord {
    let report = LeakReport(
      state: state, finding: finding, typeName: type, description: "Session", liveCount: live,
      max: max, site: CallSite(fileID: "App/Session.swift", filePath: "", line: 7, column: 3),
      history: history, group: group)
    return LeakRecord(report, millisecondsSince1970: 1_800_000_000_000 + milliseconds)
  }
}
