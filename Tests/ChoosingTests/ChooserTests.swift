import Choosing
import Primitives
import Testing
import WeakCollections

struct ChooserTests {
  @Test func `the cheapest measured backend is picked`() {
    let recommendation = choose(
      from: [.dictionary(.mutex, 80), .dictionary(.lockFree, 60), .dictionary(.actor, 300)])
    #expect(recommendation.backend == .lockFree)
    #expect(recommendation.isCalibrated)
    #expect(recommendation.predictedNanosecondsPerOperation == 60)
    #expect(
      recommendation.reason
        == "It is the cheapest of 3 backends measured at the nearest point "
        + "(read-heavy, 4 threads, size 1024) on this machine's kind.")
  }

  @Test func `code without await never gets the actor`() {
    let samples: [CostSample] = [.dictionary(.actor, 1), .dictionary(.mutex, 80)]
    #expect(choose(from: samples).backend == .actor)
    #expect(choose(from: samples, for: .dictionary(synchronousOnly: true)).backend == .mutex)
  }

  @Test func `a point where only the actor was measured does not answer for code without await`() {
    let recommendation = choose(
      from: [.dictionary(.actor, 1), .dictionary(.mutex, 80, threads: 64)],
      for: .dictionary(synchronousOnly: true))
    #expect(recommendation.backend == .mutex)
  }

  @Test func `nothing measured here means the documented default, marked uncalibrated`() {
    let recommendation = choose(from: [.dictionary(.mutex, 1, key: .elsewhere)])
    #expect(recommendation.backend == Backend.standard)
    #expect(!recommendation.isCalibrated)
    #expect(recommendation.predictedNanosecondsPerOperation == nil)
    #expect(
      recommendation.reason
        == "It is the documented default: no dictionary was measured on "
        + "Swift 6.3, priority-inheritance mutex, x86_64, 2 cores.")
  }

  @Test(arguments: [
    CalibrationKey(
      compiler: "6.4", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 2),
    CalibrationKey(compiler: "6.3", mutexFlavor: "adaptive", architecture: "x86_64", cores: 2),
    CalibrationKey(
      compiler: "6.3", mutexFlavor: "priority-inheritance", architecture: "arm64", cores: 2),
  ])
  func `another compiler, mutex or architecture is nowhere near`(_ key: CalibrationKey) {
    let chooser = Chooser(calibration: Calibration([.dictionary(.mutex, 1)]), key: key)
    #expect(!chooser.recommendation(for: .dictionary()).isCalibrated)
  }

  @Test func `the profile says how many cores there are`() {
    let chooser = Chooser(calibration: Calibration([.dictionary(.mutex, 1)]), key: .elsewhere)
    #expect(chooser.recommendation(for: .dictionary(cores: 2)).isCalibrated)
    #expect(!chooser.recommendation(for: .dictionary(cores: 16)).isCalibrated)
  }

  @Test func `another collection's measurements say nothing`() {
    var profile = WorkloadProfile.dictionary()
    profile.collection = .weakArray
    #expect(!choose(from: [.dictionary(.mutex, 1)], for: profile).isCalibrated)
  }

  @Test func `the current key is this process's`() {
    #expect(CalibrationKey.current.cores == Host.usableCores)
    #expect(CalibrationKey.current.mutexFlavor == Host.mutexFlavor)
    #expect(
      CalibrationKey(compiler: "6.3.1", mutexFlavor: "", architecture: "", cores: 1).compiler
        == "6.3")
  }

  private func choose(
    from samples: [CostSample], for profile: WorkloadProfile = .dictionary()
  ) -> Recommendation {
    Chooser(calibration: Calibration(samples), key: .here).recommendation(for: profile)
  }
}
