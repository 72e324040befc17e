import LeakMonitoring

/// Three instances where one may be.
func exampleReport(
  _ state: LeakState, live: Int = 3, finding: LeakFinding = .excess(after: nil)
) -> LeakReport {
  LeakReport(
    state: state, finding: finding, typeName: "App.Session", description: "Session",
    liveCount: live, max: 1,
    site: CallSite(fileID: #fileID, filePath: #filePath, line: 7, column: 3))
}
