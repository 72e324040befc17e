import Choosing
import WeakCollections

extension CalibrationKey {
  static let here = CalibrationKey(
    compiler: "6.3.1", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 2)
  static let elsewhere = CalibrationKey(
    compiler: "6.3", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 16)
}

extension CostSample {
  static func dictionary(
    _ backend: Backend, _ cost: Double, workload: String = "read-heavy",
    shares: OperationShares = OperationShares(read: 98, insert: 1, remove: 1), threads: Int = 4,
    size: Int = 1024, key: CalibrationKey = .here
  ) -> CostSample {
    CostSample(
      key: key,
      point: GridPoint(
        collection: .dictionary, workload: workload, shares: shares, threads: threads, size: size),
      backend: backend, nanosecondsPerOperation: cost)
  }
}

extension WorkloadProfile {
  static func dictionary(
    workload: String? = nil,
    shares: OperationShares = OperationShares(read: 98, insert: 1, remove: 1), threads: Int = 4,
    cores: Int = 2, size: Int = 1024, synchronousOnly: Bool = false
  ) -> WorkloadProfile {
    WorkloadProfile(
      collection: .dictionary, workload: workload, shares: shares, threads: threads, cores: cores,
      size: size, synchronousOnly: synchronousOnly)
  }
}
