import Foundation
import WeakCollections

/// What a program does with a collection, as far as it bears on the choice of a backend.
public struct WorkloadProfile: Hashable, Sendable {
  public var collection: CollectionKind
  /// The measured workload that this is; nil for one that is nothing but its shares.
  public var workload: String?
  public var shares: OperationShares
  /// How many threads use the collection at once.
  public var threads: Int
  /// How many cores the process may use.
  public var cores: Int
  /// How many entries the collection holds.
  public var size: Int
  /// Which part of the entries is alive, from 0 to 1. A measured workload has its own, and this says nothing.
  public var liveFraction: Double
  /// Which part of the operations lets an entry die, from 0 to 1. A measured workload has its own here too.
  public var churn: Double
  /// How keys are drawn, as in "uniform".
  public var keyDistribution: String
  /// How much bytes count against time, from 0, not at all, to 1, alone: a backend that needs half the bytes
  /// may be twice as slow at 0.5.
  public var memoryWeight: Double
  /// Whether the code has no `await`, so that the actor cannot be chosen.
  public var synchronousOnly: Bool

  /// How keys are drawn unless a profile says otherwise.
  public static let uniformKeys = "uniform"

  /// Traps unless the numbers are positive, and the parts from 0 to 1.
  public init(
    collection: CollectionKind, workload: String? = nil, shares: OperationShares, threads: Int,
    cores: Int, size: Int, liveFraction: Double = 1, churn: Double = 0,
    keyDistribution: String = WorkloadProfile.uniformKeys, memoryWeight: Double = 0,
    synchronousOnly: Bool
  ) {
    precondition(
      threads > 0 && cores > 0 && size > 0,
      "expected a positive number of threads, cores and entries")
    precondition(
      (0...1).contains(liveFraction) && (0...1).contains(churn) && (0...1).contains(memoryWeight),
      "expected a live fraction, churn and memory weight from 0 to 1")
    self.collection = collection
    self.workload = workload
    self.shares = shares
    self.threads = threads
    self.cores = cores
    self.size = size
    self.liveFraction = liveFraction
    self.churn = churn
    self.keyDistribution = keyDistribution
    self.memoryWeight = memoryWeight
    self.synchronousOnly = synchronousOnly
  }
}

/// How often each operation occurs, in per cent of all.
public struct OperationShares: Hashable, Sendable, Codable {
  public var read: Double
  public var insert: Double
  public var update: Double
  public var remove: Double
  public var iterate: Double

  public init(
    read: Double = 0, insert: Double = 0, update: Double = 0, remove: Double = 0,
    iterate: Double = 0
  ) {
    self.read = read
    self.insert = insert
    self.update = update
    self.remove = remove
    self.iterate = iterate
  }

  /// The part of the operations that would have to be others to turn one into the other, from 0 to 1.
  public func distance(to other: OperationShares) -> Double {
    let difference = lanes - other.lanes
    return difference.replacing(with: -difference, where: difference .< 0).sum() / 200
  }

  var all: [Double] { [read, insert, update, remove, iterate] }

  /// The same, to compute with; the lanes left over are 0.
  var lanes: SIMD8<Double> { SIMD8(read, insert, update, remove, iterate, 0, 0, 0) }
}

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
