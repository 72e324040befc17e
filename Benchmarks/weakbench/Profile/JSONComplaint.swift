import Foundation

/// What is wrong with a file of JSON, on one line, and where.
struct JSONComplaint: CustomStringConvertible {
  let description: String

  init(_ error: any Error, in text: String) {
    if let complaint = Self.syntax(of: text) {
      description = complaint
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

  /// Where it stops being JSON, which the decoder does not say; nil if it is JSON.
  private static func syntax(of text: String) -> String? {
    do {
      _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
      return nil
    } catch {
      // Such as "Invalid value around character 14.", in bytes from 0; none at the end of the file.
      let words = (error as NSError).userInfo["NSDebugDescription"] as? String ?? ""
      let offset = words.firstMatch(of: /character (\d+)/).flatMap { Int($0.1) }
      let bytes = Array(text.utf8.prefix(offset ?? .max))
      let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      let column = bytes.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
      return "line \(line), column \(column): "
        + (offset == nil ? "the JSON ends too early" : "no JSON from here on")
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

  /// Where the name of the value stands, each looked for behind the one that it is in.
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
