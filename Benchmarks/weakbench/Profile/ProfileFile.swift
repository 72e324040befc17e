import TerminalIO
import Choosing
import Foundation
import WeakCollections
import Workloads

/// What a program does with a collection, as `--profile` reads it from a file of JSON.
///
/// What is not said is nil, and is then what the command takes without the file.
struct ProfileFile: Equatable, Sendable {
  var collection: CollectionKind?
  /// A workload by its name; not with shares, a live fraction or churn, which are its own.
  var workload: String?
  var shares: OperationMix?
  /// How many threads use the collection at once.
  var threads: Int?
  /// How many cores the program may use; `run` measures on those it has.
  var cores: Int?
  /// How many entries the collection holds.
  var size: Int?
  /// Which part of the entries is alive; `run` takes the workload's, as for the next.
  var liveFraction: Double?
  /// Which part of the operations lets an entry die.
  var churn: Double?
  /// As `--keys` names it, such as "zipfian:0.99".
  var keyDistribution: String?
  /// How much bytes count against time, from 0 to 1; for `choose` alone.
  var memoryWeight: Double?
  /// Whether the program's code has no `await`.
  var synchronousOnly: Bool?

  init(contentsOf path: String) throws(CommandError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("cannot read \(path.quotedOnOneLine) (allowed: a profile in JSON)")
    }
    try self.init(data, path: path)
  }

  init(_ data: Data, path: String) throws(CommandError) {
    do {
      self = try JSONDecoder().decode(ProfileFile.self, from: data)
    } catch {
      let text = String(decoding: data, as: UTF8.self)
      let error = JSONComplaint(error, in: text)
      throw CommandError(status: .badData, description: "\(path): \(error)")
    }
  }
}

extension ProfileFile: Decodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case collection, workload, shares, threads, cores, size, liveFraction, churn, keyDistribution
    case memoryWeight, synchronousOnly
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(otherThan: CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    collection = try values.decodeName(CollectionKind.self, forKey: .collection)
    workload = try values.decodeIfPresent(String.self, forKey: .workload)
    shares = try values.decodeIfPresent(ProfileShares.self, forKey: .shares)?.mix
    threads = try values.decodeNumber(in: WorkloadProfile.threadsInFiles, forKey: .threads)
    cores = try values.decodeNumber(in: WorkloadProfile.threadsInFiles, forKey: .cores)
    size = try values.decodeNumber(in: WorkloadProfile.sizesInFiles, forKey: .size)
    liveFraction = try values.decodePart(forKey: .liveFraction)
    churn = try values.decodePart(forKey: .churn)
    keyDistribution = try Self.keyDistribution(in: values)
    memoryWeight = try values.decodePart(forKey: .memoryWeight)
    synchronousOnly = try values.decodeIfPresent(Bool.self, forKey: .synchronousOnly)
    guard workload != nil else { return }
    let own = [
      (CodingKeys.shares, shares != nil, "shares"),
      (.liveFraction, liveFraction != nil, "a live fraction"), (.churn, churn != nil, "churn"),
    ]
    for (key, isSaid, name) in own where isSaid {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: values, debugDescription: "a workload has \(name) of its own")
    }
  }

  private static func keyDistribution(
    in values: KeyedDecodingContainer<CodingKeys>
  ) throws -> String? {
    guard let text = try values.decodeIfPresent(String.self, forKey: .keyDistribution) else {
      return nil
    }
    do {
      return try KeyDistribution(parsing: text).description
    } catch {
      throw DecodingError.dataCorruptedError(
        forKey: .keyDistribution, in: values, debugDescription: "\(error)")
    }
  }
}

/// An object with the shares that are not 0: `{"read": 95, "insert": 3, "remove": 2}`.
private struct ProfileShares: Decodable {
  let mix: OperationMix

  init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(otherThan: OperationKind.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: AnyCodingKey.self)
    func share(_ operation: OperationKind) throws -> Int {
      try values.decodeNumber(in: 0...100, forKey: AnyCodingKey(stringValue: operation.rawValue))
        ?? 0
    }
    let shares = (
      try share(.read), try share(.insert), try share(.update), try share(.remove),
      try share(.iterate)
    )
    do {
      mix = try OperationMix(
        read: shares.0, insert: shares.1, update: shares.2, remove: shares.3, iterate: shares.4)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(error)"))
    }
  }
}
