import Choosing
import Primitives
import Testing
import WeakCollections

@testable import LeakMonitoring

struct MonitorBackendTests {
  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `a monitor uses the given backend`(_ backend: Backend) {
    #expect(MemoryLeakMonitor(backend: backend).backend == backend)
  }

  @Test func `the backend of the build flag precedes the chooser's recommendation`() {
    let recommendation = Recommendation.forMonitor(
      selectedByTrait: .readWriteLock, calibration: calibration(cheapest: .mutex))
    #expect(recommendation.backend == .readWriteLock)
    #expect(recommendation.reason == "The trait ReadWriteLockBackend selects it.")
  }

  @Test(arguments: [nil, Backend.actor])
  func `without a synchronous build flag the chooser recommends the backend`(_ selected: Backend?) {
    let recommendation = Recommendation.forMonitor(
      selectedByTrait: selected, calibration: calibration(cheapest: .mutex))
    #expect(recommendation.backend == .mutex)
    #expect(recommendation.isCalibrated)
  }

  @Test func `without measurements the documented default is used, marked uncalibrated`() {
    let recommendation = Recommendation.forMonitor(
      selectedByTrait: nil, calibration: Calibration([]))
    #expect(recommendation.backend == Backend.standard)
    #expect(!recommendation.isCalibrated)
  }

  @Test func `the shared monitor reports its backend and the reason for it`() {
    let monitor = MemoryLeakMonitor.shared
    #expect(monitor.recommendation == .forMonitor())
    #expect(monitor.backend == monitor.recommendation.backend)
    #expect(monitor.backend.isSynchronous)
  }

  @Test func `a given calibration is used, and named in the reason`() {
    guard Backend.selectedByTrait?.isSynchronous != true else { return }
    let monitor = MemoryLeakMonitor(calibration: calibration(cheapest: .readWriteLock))
    #expect(monitor.backend == .readWriteLock)
    #expect(monitor.recommendation.isMeasured)
    #expect(
      monitor.recommendation.reason.hasSuffix(
        " The calibration is the one that MemoryLeakMonitor(calibration:) was given."))
  }

  @Test func `the shared monitor and monitors without arguments use the calibration that was set`()
    async
  {
    await #expect(processExitsWith: .success) {
      guard Backend.selectedByTrait?.isSynchronous != true else { return }
      let given = MonitorBackendTests().calibration(cheapest: .readWriteLock)
      MemoryLeakMonitor.calibration = given
      precondition(MemoryLeakMonitor.calibration == given)
      for monitor in [MemoryLeakMonitor.shared, MemoryLeakMonitor()] {
        precondition(monitor.backend == .readWriteLock)
        precondition(monitor.recommendation.reason.contains("MemoryLeakMonitor.calibration"))
      }
      precondition(MemoryLeakMonitor(backend: .mutex).backend == .mutex)
    }
  }

  @Test func `the monitor's workload is one that was measured`() {
    for key in Calibration.compiled.keys {
      var profile = WorkloadProfile.leakMonitor
      (profile.cores, profile.threads) = (key.cores, key.cores)
      let answer = Chooser(key: key).recommendation(for: profile)
      #expect(answer.isMeasured, "\(answer.reason)")
    }
  }

  /// Returns a calibration in which the actor is cheapest, followed by `backend`.
  fileprivate func calibration(cheapest backend: Backend) -> Calibration {
    let profile = WorkloadProfile.leakMonitor
    let point = GridPoint(
      collection: profile.collection, workload: "leak-monitor", shares: profile.shares,
      threads: profile.threads,
      entries: profile.entries)
    let samples = Backend.allCases.map { other in
      CostSample(
        key: .current, point: point, backend: other,
        nanosecondsPerOperation: other == .actor ? 1 : other == backend ? 2 : 3)
    }
    return Calibration(samples)
  }
}
