import Foundation

/// JSON for people and diffs: indented, with names in order.
package enum PrettyJSON {
  /// - Precondition: every number in `value` is finite.
  package static func data(of value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("expected finite numbers")
    }
    return data
  }

  /// - Precondition: every number in `value` is finite.
  package static func text(of value: some Encodable) -> String {
    String(decoding: data(of: value), as: UTF8.self)
  }
}
