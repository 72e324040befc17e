import Charts
import Choosing
import Foundation
import Reporting
import Spelling
import TerminalIO
import WeakCollections
import Workloads

/// A program's use of a collection, which `--profile` reads from a JSON file.
///
/// A missing property is `nil`, and the command then uses its own default.
struct ProfileFile: Equatable, Sendable {
  var collection: CollectionKind?
  /// The name of a workload; it excludes shares, a live fraction and churn, which it determines.
  var workload: String?
  var shares: OperationMix?
  /// The number of threads that use the collection concurrently.
  var threads: Int?
  /// The number of cores of the program; only `choose` uses it.
  var cores: Int?
  /// The number of entries in the collection.
  var entries: Int?
  /// The fraction of entries that are alive; only `choose` uses it.
  var liveFraction: Double?
  /// The fraction of operations that let an entry die; only `choose` uses it.
  var churn: Double?
  /// The distribution of keys as in the option `--key-distribution`, such as "zipfian:0.99".
  var keyDistribution: String?
  /// The weight of bytes relative to time, from 0 to 1; only `choose` uses it.
  var memoryWeight: Double?
  /// Whether the program's code has no `await`.
  var synchronousOnly: Bool?

  init(contentsOf path: String) throws(CommandError) {
    guard let data = InputFile.contents(path) else {
      throw .unreadable(path, allowed: "a profile in JSON")
    }
    try self.init(data, path: path)
  }

  init(_ data: Data, path: String) throws(CommandError) {
    do {
      self = try JSONDecoder().decode(ProfileFile.self, from: data)
    } catch {
      let text = String(decoding: data, as: UTF8.self)
      let error = JSONProblem(error, in: text)
      throw CommandError(status: .badData, description: "\(path): \(error)")
    }
  }
}

extension ProfileFile: Decodable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case collection, workload, shares, threads, cores, entries, liveFraction, churn, keyDistribution
    case memoryWeight, synchronousOnly
  }

  /// The name of the entries in files of earlier versions.
  private enum EarlierKeys: String, CodingKey { case size }

  init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(
      otherThan: CodingKeys.allCases.map(\.rawValue), orEarlier: EarlierKeys.size.rawValue)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let earlier = try decoder.container(keyedBy: EarlierKeys.self)
    collection = try values.decodeName(CollectionKind.self, forKey: .collection)
    workload = try values.decodeIfPresent(String.self, forKey: .workload)
    shares = try values.decodeIfPresent(ProfileShares.self, forKey: .shares)?.mix
    threads = try values.decodeNumber(in: WorkloadProfile.threadsInFiles, forKey: .threads)
    cores = try values.decodeNumber(in: WorkloadProfile.threadsInFiles, forKey: .cores)
    entries =
      try values.decodeNumber(in: WorkloadProfile.entriesInFiles, forKey: .entries)
      ?? earlier.decodeNumber(in: WorkloadProfile.entriesInFiles, forKey: .size)
    liveFraction = try values.decodeFraction(forKey: .liveFraction)
    churn = try values.decodeFraction(forKey: .churn)
    keyDistribution = try Self.keyDistribution(in: values)
    memoryWeight = try values.decodeFraction(forKey: .memoryWeight)
    synchronousOnly = try values.decodeIfPresent(Bool.self, forKey: .synchronousOnly)
    guard workload != nil else { return }
    let own = [
      (CodingKeys.shares, shares != nil, "shares"),
      (.liveFraction, liveFraction != nil, "a live fraction"), (.churn, churn != nil, "churn"),
    ]
    for (key, isGiven, name) in own where isGiven {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: values,
        debugDescription: "a workload has \(name) of its own; remove this name or 'workload'")
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

/// An object with the nonzero shares: `{"read": 95, "insert": 3, "remove": 2}`.
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

/// A coding key with any name.
private struct AnyCodingKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Decoder {
  /// Throws for an unknown name, which is probably a typing error and must not be ignored.
  ///
  /// A name of earlier versions is accepted too, but not suggested.
  fileprivate func refuseKeys(otherThan allowed: [String], orEarlier earlier: String? = nil) throws
  {
    let keys = try container(keyedBy: AnyCodingKey.self).allKeys
    let key = keys.first { !allowed.contains($0.stringValue) && $0.stringValue != earlier }
    guard let key else { return }
    let near = NearMiss.suggestions(for: key.stringValue, among: allowed)
    let question = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: codingPath + [key],
        debugDescription: "unknown name\(question) (allowed: \(allowed.joined(separator: ", ")))"))
  }
}

extension KeyedDecodingContainer {
  /// Decodes one of the names of `Value`, or returns `nil` if the key is missing.
  fileprivate func decodeName<Value: RawRepresentable<String> & CaseIterable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    guard let name = try decodeIfPresent(String.self, forKey: key) else { return nil }
    if let value = Value(rawValue: name) { return value }
    let allowed = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw DecodingError.dataCorruptedError(
      forKey: key, in: self, debugDescription: "expected one of \(allowed)")
  }

  fileprivate func decodeNumber(in range: ClosedRange<Int>, forKey key: Key) throws -> Int? {
    // The decoder's own error for a fraction would call the file malformed JSON.
    guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    if let number = Int(exactly: number), range.contains(number) { return number }
    throw DecodingError.dataCorruptedError(
      forKey: key, in: self,
      debugDescription:
        "expected a whole number from \(range.lowerBound) to \(range.upperBound), found "
        + NumberText.short(number))
  }

  fileprivate func decodeFraction(forKey key: Key) throws -> Double? {
    guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    if (0...1).contains(number) { return number }
    throw DecodingError.dataCorruptedError(
      forKey: key, in: self,
      debugDescription: "expected a number from 0 to 1, found \(NumberText.short(number))")
  }
}

/// An error in a file of JSON on one line, with its line and column.
struct JSONProblem: CustomStringConvertible {
  let description: String

  init(_ error: any Error, in text: String) {
    if let problem = Self.syntax(of: text) {
      description = problem
      return
    }
    let (path, reason) = Self.parts(of: error)
    let place = Self.position(of: path, in: text)
    let name = path.map(\.stringValue).joined(separator: ".")
    description = [place, name.isEmpty ? nil : name, Self.oneLine(reason)]
      .compactMap { $0 }.joined(separator: ": ")
  }

  private static func parts(of error: any Error) -> (path: [any CodingKey], reason: String) {
    switch error {
    case DecodingError.typeMismatch(let type, let context):
      (context.codingPath, "expected \(name(of: type))")
    case DecodingError.valueNotFound(let type, let context):
      (context.codingPath, "expected \(name(of: type)), found null")
    case DecodingError.keyNotFound(let key, let context):
      (context.codingPath, "'\(key.stringValue)' is missing")
    case DecodingError.dataCorrupted(let context):
      (context.codingPath, context.debugDescription)
    default: ([], "\(error)")
    }
  }

  /// Returns the place of the first syntax error, which the decoder does not report; `nil` if the
  /// text is JSON.
  private static func syntax(of text: String) -> String? {
    do {
      _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
      return nil
    } catch {
      // The description is such as "Invalid value around character 14.", an offset in bytes. An
      // error at the end of the file has no offset.
      let words = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
      let offset = words.firstMatch(of: /character (\d+)/).flatMap { Int($0.1) }
      let bytes = Array(text.utf8.prefix(offset ?? .max))
      let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      let column = bytes.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
      return "line \(line), column \(column): "
        + (offset == nil ? "the JSON ends too early" : "no JSON from here on; fix the syntax")
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is Double.Type: "a number"
    case is Bool.Type: "true or false"
    case is String.Type: "a text"
    default: "an object, as in {\"threads\": 8}"
    }
  }

  /// Returns the position of a value's name; each name is searched after that of its parent.
  private static func position(of path: [any CodingKey], in text: String) -> String? {
    guard !path.isEmpty else { return nil }
    var start = text.startIndex
    var found = start
    for key in path {
      guard let range = text.range(of: "\"\(key.stringValue)\"", range: start..<text.endIndex)
      else { return nil }
      (found, start) = (range.lowerBound, range.upperBound)
    }
    let before = text[..<found]
    let line = before.count { $0.isNewline } + 1
    let column = before.reversed().prefix { !$0.isNewline }.count + 1
    return "line \(line), column \(column)"
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
