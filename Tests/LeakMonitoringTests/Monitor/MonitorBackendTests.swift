import Choosing
import Primitives
import Testing
import WeakCollections

@testable import LeakMonitoring

struct MonitorBackendTests {
  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `a backend that is given is used`(_ backend: Backend) {
    #expect(MemoryLeakMonitor(backend: backend).backend == backend)
  }

  @Test func `a monitor over an actor traps`() async {
    await #expect(processExitsWith: .failure) {
      _ = MemoryLeakMonitor(backend: .actor)
    }
  }

  @Test func `the build flag goes before the chooser's pick`() {
    let recommendation = Recommendation.forMonitor(
      selectedByTrait: .readWriteLock, calibration: calibration(cheapest: .mutex))
    #expect(recommendation.backend == .readWriteLock)
    #expect(recommendation.reason == "The trait ReadWriteLockBackend selects it.")
  }

  @Test(arguments: [nil, Backend.actor])
  func `without a synchronous build flag the chooser's pick is used`(_ selected: Backend?) {
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

  @Test func `the shared monitor says what it uses and why`() {
    let monitor = MemoryLeakMonitor.shared
    #expect(monitor.recommendation == .forMonitor())
    #expect(monitor.backend == monitor.recommendation.backend)
    #expect(monitor.backend.isSynchronous)
  }

  @Test func `a calibration that is given is used, and named in the reason`() {
    guard Backend.selectedByTrait?.isSynchronous != true else { return }
    let monitor = MemoryLeakMonitor(calibration: calibration(cheapest: .readWriteLock))
    #expect(monitor.backend == .readWriteLock)
    #expect(monitor.recommendation.isMeasured)
    #expect(
      monitor.recommendation.reason.hasSuffix(
        " The calibration is the one that MemoryLeakMonitor(calibration:) was given."))
  }

  @Test func `a calibration that was set serves shared and monitors that are given nothing`() async
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

  @Test func `to set a calibration that comes too late for shared traps`() async {
    await #expect(processExitsWith: .failure) {
      _ = MemoryLeakMonitor.shared
      MemoryLeakMonitor.calibration = Calibration([])
    }
  }

  @Test func `the monitor asks for what was measured`() {
    for key in Calibration.compiled.keys {
      var profile = WorkloadProfile.leakMonitor
      (profile.cores, profile.threads) = (key.cores, key.cores)
      let answer = Chooser(key: key).recommendation(for: profile)
      #expect(answer.isMeasured, "\(answer.reason)")
    }
  }

  /// A calibration in which the actor is cheapest of all, and then `backend`.
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
