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
    #expect(recommendation.prediction?.nanosecondsPerOperation.rounded == CostRange(60))
    #expect(recommendation.isMeasured)
    #expect(abs(recommendation.margin! - 80.0 / 60) < 1e-9)
    #expect(
      recommendation.reason
        == "It is the cheapest of 3 backends measured at read-heavy, 4 threads, 1024 entries.")
  }

  @Test func `code without await never gets the actor`() {
    let samples: [CostSample] = [.dictionary(.actor, 1), .dictionary(.mutex, 80)]
    #expect(choose(from: samples).backend == .actor)
    #expect(choose(from: samples, for: .dictionary(synchronousOnly: true)).backend == .mutex)
  }

  @Test func `code without await never gets the actor, if only bytes count`() {
    let samples: [CostSample] = [
      .dictionary(.actor, 1, bytes: 1), .dictionary(.mutex, 80, bytes: 80),
    ]
    var profile = WorkloadProfile.dictionary(synchronousOnly: true)
    profile.memoryWeight = 1
    let recommendation = choose(from: samples, for: profile)
    #expect(recommendation.backend == .mutex && recommendation.ranking.count == 1)
  }

  @Test func `where bytes count, the nearest point with bytes answers`() {
    let samples: [CostSample] = [
      .dictionary(.mutex, 80), .dictionary(.lockFree, 60, bytes: 40, threads: 64),
    ]
    var profile = WorkloadProfile.dictionary()
    profile.memoryWeight = 0.5
    let recommendation = choose(from: samples, for: profile)
    #expect(recommendation.backend == .lockFree && recommendation.isCalibrated)
    #expect(recommendation.excess.threads == -4)
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
    #expect(recommendation.prediction == nil && !recommendation.isMeasured)
    #expect(
      recommendation.reason
        == "It is the documented default: no costs of this workload on a dictionary were measured with "
        + "Swift 6.3, priority-inheritance mutex, x86_64, 2 cores.")
  }

  @Test func `each session counts once, as its median`() {
    let recommendation = choose(
      from: [60, 61, 300].map { .dictionary(.lockFree, $0, session: "1") }
        + [.dictionary(.lockFree, 90, session: "2"), .dictionary(.lockFree, 80, session: "3")]
        + ["1", "2", "3"].map { .dictionary(.mutex, 85, session: $0) })
    #expect(recommendation.backend == .lockFree)
    let cost = recommendation.prediction?.nanosecondsPerOperation.rounded
    #expect(cost == CostRange(median: 80, low: 61, high: 90))
  }

  @Test func `a session of only some backends does not count against them`() {
    let recommendation = choose(
      from: [.dictionary(.lockFree, 80), .dictionary(.mutex, 85)]
        + ["2", "3"].map { .dictionary(.lockFree, 800, session: $0) })
    #expect(recommendation.backend == .lockFree)
    #expect(recommendation.prediction?.nanosecondsPerOperation.rounded == CostRange(80))
  }

  @Test func `what shall be cheap may be bytes, or the slowest operations`() {
    let samples: [CostSample] = [
      .dictionary(.lockFree, 10, bytes: 40, p99: 900),
      .dictionary(.mutex, 100, bytes: 20, p99: 500),
    ]
    let chooser = Chooser(calibration: Calibration(samples), key: .here)
    let picks = CostObjective.allCases.map {
      chooser.recommendation(for: .dictionary(), objective: $0).backend
    }
    #expect(picks == [.lockFree, .mutex, .mutex])
  }

  @Test func `bytes weigh as much as the profile says`() {
    let samples: [CostSample] = [
      .dictionary(.lockFree, 10, bytes: 40), .dictionary(.mutex, 15, bytes: 20),
      .dictionary(.actor, 1),
    ]
    var profile = WorkloadProfile.dictionary(synchronousOnly: true)
    #expect(choose(from: samples, for: profile).backend == .lockFree)
    profile.memoryWeight = 0.5
    #expect(choose(from: samples, for: profile).backend == .mutex)
    profile.synchronousOnly = false
    // Whose bytes nobody counted is not compared by them.
    let recommendation = choose(from: samples, for: profile)
    #expect(recommendation.backend == .mutex)
    #expect(recommendation.prediction?.nanosecondsPerOperation.rounded == CostRange(15))
    #expect(recommendation.prediction?.bytesPerEntry?.rounded == CostRange(20))
  }

  @Test func `bytes that nobody counted mean the documented default`() {
    let chooser = Chooser(calibration: Calibration([.dictionary(.mutex, 1)]), key: .here)
    let recommendation = chooser.recommendation(for: .dictionary(), objective: .bytes)
    #expect(recommendation.backend == Backend.standard && !recommendation.isCalibrated)
    #expect(recommendation.reason.contains("no bytes of this work"))
  }

  @Test func `what lies outside is answered from the edge, and said`() {
    let recommendation = choose(
      from: [.dictionary(.mutex, 80), .dictionary(.lockFree, 60)], for: .dictionary(threads: 32))
    #expect(recommendation.isCalibrated && !recommendation.isMeasured)
    #expect(recommendation.excess.threads == 3)
    #expect(
      recommendation.reason.hasSuffix(
        "The question lies outside the measurements: 8 times the measured threads."))
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
