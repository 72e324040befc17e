import Foundation
import Primitives
import WeakCollections

/// A description of a program's use of a collection, as far as the choice of a backend depends on
/// it.
public struct WorkloadProfile: Hashable, Sendable {
  /// The abstract type of the collection.
  public var collection: CollectionKind
  /// The name of the measured workload that the program resembles; nil for a mix of operations that
  /// `shares` describes.
  public var workload: String?
  /// The shares of the operations.
  public var shares: OperationShares
  /// The number of threads that use the collection concurrently.
  public var threads: Int
  /// The number of cores that the process may use.
  public var cores: Int
  /// The number of entries in the collection.
  public var entries: Int
  /// The fraction of the entries that is alive, from 0 to 1. Ignored for a measured workload, which
  /// has its own.
  public var liveFraction: Double
  /// The fraction of the operations that let an entry die, from 0 to 1. Ignored for a measured
  /// workload, which has its own.
  public var churn: Double
  /// The distribution of the keys, such as "uniform".
  public var keyDistribution: String
  /// The weight of bytes against time, from 0 (only time counts) to 1 (only bytes count). At 0.5, a
  /// backend that needs half the bytes may be twice as slow.
  public var memoryWeight: Double
  /// Whether the code has no `await`, which excludes the actor.
  public var synchronousOnly: Bool

  /// The default distribution of the keys.
  public static let uniformKeys = "uniform"

  /// Creates a profile.
  ///
  /// Traps if `threads`, `cores` or `entries` is not positive, or if `liveFraction`, `churn` or
  /// `memoryWeight` is not from 0 to 1.
  public init(
    collection: CollectionKind, workload: String? = nil, shares: OperationShares, threads: Int,
    cores: Int, entries: Int, liveFraction: Double = 1, churn: Double = 0,
    keyDistribution: String = WorkloadProfile.uniformKeys, memoryWeight: Double = 0,
    synchronousOnly: Bool
  ) {
    guard threads > 0 && cores > 0 && entries > 0 else {
      fatalError(
        "threads, cores and entries must be positive, got \(threads), \(cores) and \(entries)")
    }
    guard
      (0...1).contains(liveFraction) && (0...1).contains(churn) && (0...1).contains(memoryWeight)
    else {
      fatalError(
        "liveFraction, churn and memoryWeight must be from 0 to 1, "
          + "got \(liveFraction), \(churn) and \(memoryWeight)")
    }
    self.collection = collection
    self.workload = workload
    self.shares = shares
    self.threads = threads
    self.cores = cores
    self.entries = entries
    self.liveFraction = liveFraction
    self.churn = churn
    self.keyDistribution = keyDistribution
    self.memoryWeight = memoryWeight
    self.synchronousOnly = synchronousOnly
  }
}

/// The frequency of each operation, in percent of all operations.
public struct OperationShares: Hashable, Sendable, Codable {
  /// The share of lookups.
  public var read: Double
  /// The share of insertions.
  public var insert: Double
  /// The share of changes in place.
  public var update: Double
  /// The share of removals.
  public var remove: Double
  /// The share of iterations over all entries.
  public var iterate: Double

  /// Creates shares.
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

  /// Returns the fraction of the operations, from 0 to 1, that would have to change to turn one mix
  /// into the other.
  public func distance(to other: OperationShares) -> Double {
    let difference = lanes - other.lanes
    return difference.replacing(with: -difference, where: difference .< 0).sum() / 200
  }

  var all: [Double] { [read, insert, update, remove, iterate] }

  /// The shares as a vector. The unused lanes are 0.
  var lanes: SIMD8<Double> { SIMD8(read, insert, update, remove, iterate, 0, 0, 0) }
}

// MARK: JSON

extension WorkloadProfile {
  /// The profile as the contents of a file for `weakbench run --profile` and
  /// `weakbench choose --profile`.
  ///
  /// The shares are whole percents that sum to 100. Numbers of threads, cores and entries beyond
  /// the range of a file are written as the largest one. The shares, live fraction and churn of a
  /// measured workload are omitted.
  public var json: Data { PrettyJSON.data(of: Fields(self)) }

  /// The numbers of threads, or cores, that a file may contain.
  package static let threadsInFiles = 1...1024
  /// The numbers of entries that a file may contain.
  package static let entriesInFiles = 1...10_000_000

  /// The contents of the file. The property names are the names in the JSON; default values are
  /// omitted.
  private struct Fields: Encodable {
    let collection: CollectionKind
    let workload: String?
    let shares: [String: Int]?
    let threads, cores, entries: Int
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
      entries = min(profile.entries, WorkloadProfile.entriesInFiles.upperBound)
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
  /// The shares in whole percents of their sum: rounded down, then incremented for the largest
  /// remainders until the sum is 100; nil if the sum is 0.
  package var wholePercents: [String: Int]? {
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

extension WorkloadProfile {
  /// The workload of a leak monitor: every thread inserts new objects into the weak sets of their
  /// classes, and none may suspend. Finding the set of a class is one read, which costs less with
  /// any backend.
  ///
  /// The entries are those of the measured workload "leak-monitor": 1,024 instances of sixteen
  /// classes. For any other number, which few programs know, the chooser has no measurement.
  public static var leakMonitor: WorkloadProfile {
    WorkloadProfile(
      collection: .weakSet, workload: "leak-monitor", shares: OperationShares(insert: 100),
      threads: Host.usableCores, cores: Host.usableCores, entries: 1024, synchronousOnly: true)
  }
}
