import Charts

/// The text after an option that takes numbers, and which are allowed.
package struct OptionText {
  package let option: String
  package let text: String?
  package let allowed: ClosedRange<Int>

  package init(_ option: String, _ text: String?, allowed: ClosedRange<Int>) {
    self.option = option
    self.text = text
    self.allowed = allowed
  }

  /// A comma-separated list, each number once.
  package func numbers(otherwise standard: [Int]) throws(CommandError) -> [Int] {
    guard let text else { return standard }
    var numbers: [Int] = []
    for part in Self.parts(of: text) {
      guard let number = Int(part), allowed.contains(number) else {
        throw refusal(of: part, expected: "whole numbers \(range), separated by commas")
      }
      numbers.append(number)
    }
    return numbers.withoutRepetitions
  }

  package func number(otherwise standard: Int) throws(CommandError) -> Int {
    guard let text else { return standard }
    guard let number = Int(text), allowed.contains(number) else {
      throw refusal(of: text, expected: "a whole number \(range)")
    }
    return number
  }

  /// From a hundredth of a second.
  package func seconds(otherwise standard: Double) throws(CommandError) -> Double {
    guard let text else { return standard }
    let isDecimal = text.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    guard isDecimal, let seconds = Double(text), seconds >= 0.01,
      seconds <= Double(allowed.upperBound)
    else {
      throw refusal(of: text, expected: "a number from 0.01 to \(allowed.upperBound), such as 0.5")
    }
    return seconds
  }

  /// A comma-separated list of names, each once.
  package static func names(
    in text: String, option: String, allowed: [String]
  ) throws(CommandError) -> [String] {
    let names = parts(of: text)
    if names.contains("") {
      throw .usage(
        "\(option): a name is missing in \(text.quotedOnOneLine) "
          + "(allowed: \(allowed.joined(separator: ", ")))")
    }
    return names.withoutRepetitions
  }

  /// Such as 5% or 0.5%.
  package static func part(_ text: String, option: String) throws(CommandError) -> Double {
    let digits = text.hasSuffix("%") ? String(text.dropLast()) : ""
    let isDecimal = digits.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    guard isDecimal, let percent = Double(digits), percent <= 1000 else {
      throw .usage("\(option) \(text.quotedOnOneLine) (allowed: from 0% to 1000%, such as 5%)")
    }
    return percent / 100
  }

  private static func parts(of text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      String(part.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
    }
  }

  private var range: String { "from \(allowed.lowerBound) to \(allowed.upperBound)" }

  private func refusal(of text: String, expected: String) -> CommandError {
    .usage("\(option) \(text.quotedOnOneLine) (allowed: \(expected))")
  }
}
