import Charts

/// The text that follows a numeric option, and the range of numbers that the option allows.
package struct OptionText {
  /// The name of the option, such as `--threads`.
  package let option: String
  /// The text that the user typed; `nil` if the option is absent.
  package let text: String?
  package let allowed: ClosedRange<Int>

  package init(_ option: String, _ text: String?, allowed: ClosedRange<Int>) {
    self.option = option
    self.text = text
    self.allowed = allowed
  }

  /// Returns the numbers of a comma-separated list, without repetitions.
  ///
  /// - Parameter standard: The result if the option is absent.
  /// - Throws: A usage error if a part of the list is not an allowed number.
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

  /// Returns the whole number that the option names.
  ///
  /// - Parameter standard: The result if the option is absent.
  /// - Throws: A usage error if the text is not an allowed number.
  package func number(otherwise standard: Int) throws(CommandError) -> Int {
    guard let text else { return standard }
    guard let number = Int(text), allowed.contains(number) else {
      throw refusal(of: text, expected: "a whole number \(range)")
    }
    return number
  }

  /// Returns a number of seconds, from 0.01 to the upper bound of `allowed`.
  ///
  /// - Parameter standard: The result if the option is absent.
  /// - Throws: A usage error if the text is not such a number.
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

  /// Returns the names of a comma-separated list, without repetitions.
  ///
  /// - Parameter allowed: The names that the message of an error lists. The caller checks the
  ///   names.
  /// - Throws: A usage error if a name is empty.
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

  /// Returns the fraction that a percentage such as `5%` or `0.5%` stands for.
  ///
  /// - Throws: A usage error unless the text is a percentage from 0% to 1000%.
  package static func fraction(_ text: String, option: String) throws(CommandError) -> Double {
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

  /// Returns the case whose raw value is `text`; `nil` if `text` is `nil`.
  ///
  /// - Parameter what: The kind of name, for the message of an error.
  /// - Throws: A usage error if no case has that raw value.
  package static func name<Value: RawRepresentable<String> & CaseIterable>(
    _ what: String, _ text: String?, as type: Value.Type
  ) throws(CommandError) -> Value? {
    guard let text else { return nil }
    if let value = Value(rawValue: text) { return value }
    throw .unknown(what, text, allowed: Value.allCases.map(\.rawValue))
  }

  /// Returns the elements of `all` that a comma-separated list names, in the order of `all`.
  ///
  /// Several elements may have the same name. Returns all elements if `text` is `nil`.
  ///
  /// - Parameters:
  ///   - what: The name of the option without its dashes.
  ///   - name: Returns the name of an element.
  /// - Throws: A usage error if a name is empty or unknown.
  package static func choices<Choice>(
    _ what: String, _ text: String?, among all: [Choice], named name: (Choice) -> String
  ) throws(CommandError) -> [Choice] {
    guard let text else { return all }
    let allowed = all.map(name).withoutRepetitions
    let names = try OptionText.names(in: text, option: "--\(what)", allowed: allowed)
    if let wrong = names.first(where: { !allowed.contains($0) }) {
      throw .unknown(what, wrong, allowed: allowed)
    }
    return all.filter { names.contains(name($0)) }
  }

  /// Returns the number after `--seed`; without one, `standard` or else a random seed.
  ///
  /// A seed is less than 2⁵³, so that a spreadsheet keeps every digit.
  ///
  /// - Throws: A usage error if the text is not such a number.
  package static func seed(_ text: String?, otherwise standard: UInt64? = nil) throws(CommandError)
    -> UInt64
  {
    let upperBound: UInt64 = 1 << 53
    guard let text else { return standard ?? UInt64.random(in: 0..<upperBound) }
    guard let seed = UInt64(text), seed < upperBound else {
      throw .usage(
        "--seed \(text.quotedOnOneLine) (allowed: a whole number from 0 to \(upperBound - 1))")
    }
    return seed
  }
}
