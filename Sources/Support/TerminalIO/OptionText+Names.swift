extension OptionText {
  /// One of the names of `Value`; nil if nothing was typed.
  package static func name<Value: RawRepresentable<String> & CaseIterable>(
    _ what: String, _ text: String?, as type: Value.Type
  ) throws(CommandError) -> Value? {
    guard let text else { return nil }
    if let value = Value(rawValue: text) { return value }
    throw .unknown(what, text, allowed: Value.allCases.map(\.rawValue))
  }

  /// Those of `all` that a comma-separated list names, in the order of `all`; all of them if nothing was typed.
  package static func choices<Choice>(
    _ what: String, _ text: String?, among all: [Choice], named name: (Choice) -> String
  ) throws(CommandError) -> [Choice] {
    guard let text else { return all }
    let allowed = all.map(name)
    let names = try OptionText.names(in: text, option: "--\(what)", allowed: allowed)
    if let wrong = names.first(where: { !allowed.contains($0) }) {
      throw .unknown(what, wrong, allowed: allowed)
    }
    return all.filter { names.contains(name($0)) }
  }

  /// The number after `--seed`, below 2⁵³ so that a spreadsheet keeps every digit; a random one if nothing was typed.
  package static func seed(_ text: String?, otherwise standard: UInt64? = nil) throws(CommandError)
    -> UInt64
  {
    let upperBound: UInt64 = 1 << 53
    guard let text else { return standard ?? UInt64.random(in: 0..<upperBound) }
    guard let seed = UInt64(text), seed < upperBound else {
      throw .usage(
        "--seed: '\(text)' is no seed; a seed is a whole number from 0 to \(upperBound - 1)")
    }
    return seed
  }
}
