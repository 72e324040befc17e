import WeakCollections

/// Picks the cheapest backend for a workload from measurements made where the program runs.
public struct Chooser: Sendable {
  private let calibration: Calibration
  private let key: CalibrationKey
  private let noiseFloor: Double

  /// What a difference is taken for noise below, where nobody measured it: two builds of equal code differ as much
  /// on a quiet machine.
  public static var standardNoiseFloor: Double { 0.05 }

  /// A chooser for programs that run where `key` says; their cores are the profile's. Between backends whose
  /// costs differ by less than the part `noiseFloor` it does not decide.
  public init(
    calibration: Calibration = .compiled, key: CalibrationKey = .current,
    noiseFloor: Double = Chooser.standardNoiseFloor
  ) {
    precondition(noiseFloor >= 0, "expected a noise floor that is not below 0")
    self.calibration = calibration
    self.key = key
    self.noiseFloor = noiseFloor
  }

  /// The cheapest backend that `profile` can use.
  ///
  /// Without measurements for this key the answer is `Backend.standard`, marked uncalibrated: those of
  /// another compiler, mutex, processor or number of cores are never used in their place.
  public func recommendation(
    for profile: WorkloadProfile, objective: CostObjective = .throughput
  ) -> Recommendation {
    var key = key
    key.cores = profile.cores
    guard let model = calibration.model(for: key),
      let answer = model.answer(to: profile, objective: objective)
    else { return Self.standard(for: profile, objective, on: key) }
    return Recommendation(answer, from: model, noiseFloor: noiseFloor)
  }

  private static func standard(
    for profile: WorkloadProfile, _ objective: CostObjective, on key: CalibrationKey
  ) -> Recommendation {
    let needsBytes = objective == .bytes || profile.memoryWeight > 0
    let what = needsBytes ? "bytes" : objective == .p99 ? "p99" : "costs"
    return Recommendation(
      backend: .standard, isCalibrated: false,
      reason: "It is the documented default: no \(what) of this work on a "
        + "\(profile.collection.rawValue) were measured on \(key).")
  }
}
