import Foundation

/// JSON for people and diffs: indented, with sorted names.
package enum PrettyJSON {
  /// Returns `value` as JSON.
  ///
  /// - Precondition: Every number in `value` is finite.
  package static func data(of value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("\(type(of: value)) has a number that JSON cannot represent")
    }
    return data
  }

  /// Returns `value` as JSON text.
  ///
  /// - Precondition: Every number in `value` is finite.
  package static func text(of value: some Encodable) -> String {
    String(decoding: data(of: value), as: UTF8.self)
  }
}
