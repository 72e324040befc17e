import Benchmarking
import Foundation

/// What a forked process answers when it is given a trial: its result, or what was wrong.
package enum ForkAnswer: Codable, Hashable {
  case result(TrialResult)
  case failure(String)
}

/// Trials and answers as they go between processes: JSON, a line each.
package enum ForkLine {
  /// Without a line end.
  package static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    // What makes no sense is for the journal to refuse, which names the column.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(value) else { preconditionFailure("plain values") }
    return String(decoding: data, as: UTF8.self)
  }

  /// `nil` for anything else than what `text` gives.
  package static func value<Value: Decodable>(_ type: Value.Type, in line: String) -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? decoder.decode(type, from: Data(line.utf8))
  }
}
