import WeakCollections

/// Picks the cheapest backend for a workload from measurements made where the program runs.
public struct Chooser: Sendable {
  private let calibration: Calibration
  private let key: CalibrationKey

  /// A chooser for programs that run where `key` says; their cores are the profile's.
  public init(calibration: Calibration = .compiled, key: CalibrationKey = .current) {
    self.calibration = calibration
    self.key = key
  }

  /// The cheapest backend that `profile` can use, at the measured point nearest to it.
  ///
  /// Without measurements for this key the answer is `Backend.standard`, marked uncalibrated: those of
  /// another compiler, mutex, processor or number of cores are never used in their place.
  public func recommendation(for profile: WorkloadProfile) -> Recommendation {
    var key = key
    key.cores = profile.cores
    let eligible = Backend.supporting(profile.collection)
      .filter { $0.isSynchronous || !profile.synchronousOnly }
    guard let (point, costs) = calibration.model(for: key)?.nearest(to: profile, among: eligible)
    else {
      return Self.standard(for: profile.collection, on: key)
    }

    let cheapest = costs.min { $0.nanosecondsPerOperation < $1.nanosecondsPerOperation }!
    let rank = costs.count == 1 ? "the only backend" : "the cheapest of \(costs.count) backends"
    return Recommendation(
      backend: cheapest.backend, isCalibrated: true,
      predictedNanosecondsPerOperation: cheapest.nanosecondsPerOperation,
      reason: "It is \(rank) measured at the nearest point (\(point)) on this machine's kind.")
  }

  private static func standard(
    for collection: CollectionKind, on key: CalibrationKey
  ) -> Recommendation {
    Recommendation(
      backend: .standard, isCalibrated: false,
      reason: "It is the documented default: no \(collection.rawValue) was measured on \(key).")
  }
}
