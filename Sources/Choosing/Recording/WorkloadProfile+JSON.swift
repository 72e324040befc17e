import Foundation
import WeakCollections

extension WorkloadProfile {
  /// A file for `weakbench run --profile` and `choose --profile`.
  ///
  /// Its shares are whole per cent, which sum to 100; what is more than a file may say of threads, cores or the
  /// size is written as the most. A workload has its own shares, live fraction and churn: they are left out.
  public var json: Data { PrettyJSON.data(of: Fields(self)) }

  /// How many threads, or cores, a file may say.
  package static let threadsInFiles = 1...1024
  /// How many entries a file may say.
  package static let sizesInFiles = 1...10_000_000

  /// The names in the file. What is as if nothing had been said is left out.
  private struct Fields: Encodable {
    let collection: CollectionKind
    let workload: String?
    let shares: [String: Int]?
    let threads, cores, size: Int
    let liveFraction, churn, memoryWeight: Double?
    let keyDistribution: String?
    let synchronousOnly: Bool

    init(_ profile: WorkloadProfile) {
      collection = profile.collection
      workload = profile.workload
      let isMix = profile.workload == nil
      shares = isMix ? profile.shares.wholePercents : nil
      threads = min(profile.threads, WorkloadProfile.threadsInFiles.upperBound)
      cores = min(profile.cores, WorkloadProfile.threadsInFiles.upperBound)
      size = min(profile.size, WorkloadProfile.sizesInFiles.upperBound)
      liveFraction = isMix && profile.liveFraction < 1 ? profile.liveFraction : nil
      churn = isMix && profile.churn > 0 ? profile.churn : nil
      memoryWeight = profile.memoryWeight > 0 ? profile.memoryWeight : nil
      keyDistribution =
        profile.keyDistribution == WorkloadProfile.uniformKeys ? nil : profile.keyDistribution
      synchronousOnly = profile.synchronousOnly
    }
  }
}

extension OperationShares {
  /// Of their sum, rounded down, and what is missing to 100 given to those that lost most; nil of nothing.
  fileprivate var wholePercents: [String: Int]? {
    let names = ["read", "insert", "update", "remove", "iterate"]
    let sum = all.reduce(0, +)
    guard sum > 0 else { return nil }
    let parts = all.map { 100 * $0 / sum }
    var whole = parts.map { Int($0.rounded(.down)) }
    let byLoss = parts.indices.sorted {
      parts[$0] - Double(whole[$0]) > parts[$1] - Double(whole[$1])
    }
    for place in byLoss.prefix(max(0, 100 - whole.reduce(0, +))) { whole[place] += 1 }
    return Dictionary(uniqueKeysWithValues: zip(names, whole).filter { $0.1 > 0 })
  }
}
