extension OptionText {
  /// One of the names of `Value`; nil if nothing was typed.
  static func name<Value: RawRepresentable<String> & CaseIterable>(
    _ what: String, _ text: String?, as type: Value.Type
  ) throws(CommandError) -> Value? {
    guard let text else { return nil }
    if let value = Value(rawValue: text) { return value }
    throw .unknown(what, text, allowed: Value.allCases.map(\.rawValue))
  }
}
