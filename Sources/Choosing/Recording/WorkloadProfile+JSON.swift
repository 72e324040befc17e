import Foundation
import WeakCollections

extension WorkloadProfile {
  /// A file for `weakbench run --profile` and `choose --profile`; its shares are whole per cent, which sum to 100.
  public var json: Data { PrettyJSON.data(of: Fields(self)) }

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
      shares = profile.workload == nil ? profile.shares.wholePercents : nil
      (threads, cores, size) = (profile.threads, profile.cores, profile.size)
      liveFraction = profile.liveFraction < 1 ? profile.liveFraction : nil
      churn = profile.churn > 0 ? profile.churn : nil
      memoryWeight = profile.memoryWeight > 0 ? profile.memoryWeight : nil
      keyDistribution =
        profile.keyDistribution == WorkloadProfile.uniformKeys ? nil : profile.keyDistribution
      synchronousOnly = profile.synchronousOnly
    }
  }
}

extension OperationShares {
  /// Rounded down, and what is missing to 100 given to those that lost most.
  fileprivate var wholePercents: [String: Int] {
    let names = ["read", "insert", "update", "remove", "iterate"]
    var whole = all.map { Int($0.rounded(.down)) }
    let byLoss = all.indices.sorted { all[$0] - Double(whole[$0]) > all[$1] - Double(whole[$1]) }
    for place in byLoss.prefix(max(0, 100 - whole.reduce(0, +))) { whole[place] += 1 }
    return Dictionary(uniqueKeysWithValues: zip(names, whole).filter { $0.1 > 0 })
  }
}
