import Charts
import Reporting
import Workloads

/// Any name that an object may have for a value.
struct AnyCodingKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Decoder {
  /// A name that is not known is a slip, and what it says must not be lost in silence.
  func refuseKeys(otherThan allowed: [String]) throws {
    let keys = try container(keyedBy: AnyCodingKey.self).allKeys
    guard let key = keys.first(where: { !allowed.contains($0.stringValue) }) else { return }
    let near = NearMiss.suggestions(for: key.stringValue, among: allowed)
    let question = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: codingPath + [key],
        debugDescription: "unknown name\(question) (allowed: \(allowed.joined(separator: ", ")))"))
  }
}

extension KeyedDecodingContainer {
  /// One of the names of `Value`.
  func decodeName<Value: RawRepresentable<String> & CaseIterable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    guard let name = try decodeIfPresent(String.self, forKey: key) else { return nil }
    if let value = Value(rawValue: name) { return value }
    let allowed = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw DecodingError.dataCorruptedError(
      forKey: key, in: self, debugDescription: "expected one of \(allowed)")
  }

  func decodeNumber(in range: ClosedRange<Int>, forKey key: Key) throws -> Int? {
    // As `Int` the decoder would call what is no whole number no JSON.
    guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    if let number = Int(exactly: number), range.contains(number) { return number }
    throw DecodingError.dataCorruptedError(
      forKey: key, in: self,
      debugDescription:
        "expected a whole number from \(range.lowerBound) to \(range.upperBound), found "
        + NumberText.short(number))
  }

  func decodePart(forKey key: Key) throws -> Double? {
    guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    if (0...1).contains(number) { return number }
    throw DecodingError.dataCorruptedError(
      forKey: key, in: self,
      debugDescription: "expected a number from 0 to 1, found \(NumberText.short(number))")
  }
}
