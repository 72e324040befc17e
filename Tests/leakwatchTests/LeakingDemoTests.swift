import LeakMonitoring
import Testing
import WeakCollections

@testable import leakwatch

struct LeakingDemoTests {
  /// Enables the monitor, which is disabled by default in optimized builds.
  init() { MemoryLeakMonitor.isEnabled = true }

  @Test func `sessions leak, and no other class has an excess`() throws {
    let reports = Kept()
    let demo = LeakingDemo { reports.add($0) }
    for _ in 0..<40 { demo.step() }
    // An expectation has a real grace period, so it may have been reported or not.
    let immediate = reports.all.filter { $0.finding == .excess(after: nil) }
    #expect(immediate.map(\.liveCount) == [2, 3, 4, 5])
    #expect(immediate.allSatisfy { $0.typeName == "leakwatch.LeakingDemo.Session" })
    let counts = demo.liveCounts
    #expect(counts["leakwatch.LeakingDemo.Session"] == 5)
    #expect(counts["leakwatch.LeakingDemo.Image"] == 10)
    #expect(counts["leakwatch.LeakingDemo.Screen"] == 0)
    #expect(counts.count == 4)
  }

  private final class Kept: Sendable {
    private let reports = MutexLock<[LeakReport]>([])

    var all: [LeakReport] { reports.read { copy $0 } }

    func add(_ report: LeakReport) { reports.write { $0.append(report) } }
  }
}
