import Foundation
import LeakMonitoring

final class Session: MemoryLeakMonitorable {
  var max: Int { 2 }

  init() {
    // README.md MemoryLeakMonitor.validate
  }
}
try? FileManager.default.removeItem(atPath: "leaks.jsonl")
// README.md MemoryLeakMonitor.shared.reporter
let sessions = (0..<5).map { _ in Session() }
var report = ""
let hang = ContinuousClock.now + .seconds(60)
while report.isEmpty, ContinuousClock.now < hang {
  usleep(1000)
  report = try String(contentsOfFile: "leaks.jsonl", encoding: .utf8)
}
print(sessions.count, report.contains("Session"))
// prints 5 true
