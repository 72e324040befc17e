import Choosing
import WeakCollections

extension CalibrationKey {
  static let here = CalibrationKey(
    compiler: "6.3.1", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 2)
  static let elsewhere = CalibrationKey(
    compiler: "6.3", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 16)
}

extension OperationShares {
  static let readHeavy = OperationShares(read: 98, insert: 1, remove: 1)
}

extension CostSample {
  static func dictionary(
    _ backend: Backend, _ cost: Double, bytes: Double? = nil, p99: Double? = nil,
    workload: String = "read-heavy", shares: OperationShares = .readHeavy,
    isPureMix: Bool = true, threads: Int = 4, size: Int = 1024, key: CalibrationKey = .here
  ) -> CostSample {
    CostSample(
      key: key,
      point: GridPoint(
        collection: .dictionary, workload: workload, shares: shares, isPureMix: isPureMix,
        threads: threads, size: size),
      backend: backend, nanosecondsPerOperation: cost, p99Nanoseconds: p99, bytesPerEntry: bytes)
  }
}

extension WorkloadProfile {
  static func dictionary(
    workload: String? = nil, shares: OperationShares = .readHeavy, threads: Int = 4,
    cores: Int = 2, size: Int = 1024, synchronousOnly: Bool = false
  ) -> WorkloadProfile {
    WorkloadProfile(
      collection: .dictionary, workload: workload, shares: shares, threads: threads, cores: cores,
      size: size, synchronousOnly: synchronousOnly)
  }
}

extension CostModel {
  /// What `backend` costs for `profile`, without the last digits, which logarithms change.
  func nanoseconds(_ backend: Backend, for profile: WorkloadProfile = .dictionary()) -> CostRange? {
    answer(to: profile).flatMap { costs(of: backend, at: $0) }?.nanosecondsPerOperation.rounded
  }

  func excess(of profile: WorkloadProfile) -> GridExcess? { answer(to: profile)?.excess }
}

extension CostRange {
  /// To millionths.
  var rounded: CostRange {
    func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
    return CostRange(median: rounded(median), low: rounded(low), high: rounded(high))
  }
}
