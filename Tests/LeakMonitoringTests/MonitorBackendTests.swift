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
      selectedByTrait: .readWriteLock, chooser: chooser(cheapest: .mutex))
    #expect(recommendation.backend == .readWriteLock)
    #expect(recommendation.reason == "The trait ReadWriteLockBackend selects it.")
  }

  @Test(arguments: [nil, Backend.actor])
  func `without a synchronous build flag the chooser's pick is used`(_ selected: Backend?) {
    let recommendation = Recommendation.forMonitor(
      selectedByTrait: selected, chooser: chooser(cheapest: .mutex))
    #expect(recommendation.backend == .mutex)
    #expect(recommendation.isCalibrated)
  }

  @Test func `without measurements the documented default is used, marked uncalibrated`() {
    let recommendation = Recommendation.forMonitor(
      selectedByTrait: nil, chooser: Chooser(calibration: Calibration([])))
    #expect(recommendation.backend == Backend.standard)
    #expect(!recommendation.isCalibrated)
  }

  @Test func `the shared monitor says what it uses and why`() {
    let monitor = MemoryLeakMonitor.shared
    #expect(monitor.recommendation == .forMonitor())
    #expect(monitor.backend == monitor.recommendation.backend)
    #expect(monitor.backend.isSynchronous)
  }

  /// A chooser with a calibration in which the actor is cheapest of all, and then `backend`.
  private func chooser(cheapest backend: Backend) -> Chooser {
    let profile = WorkloadProfile.leakMonitor
    let point = GridPoint(
      collection: profile.collection, workload: "leak-monitor", shares: profile.shares, threads: 1,
      size: 64)
    let samples = Backend.allCases.map { other in
      CostSample(
        key: .current, point: point, backend: other,
        nanosecondsPerOperation: other == .actor ? 1 : other == backend ? 2 : 3)
    }
    return Chooser(calibration: Calibration(samples))
  }
}
