/// What can be asked of a register.
public enum RegisterInput<Value: Hashable & Sendable>: Hashable, Sendable {
  case read
  case write(Value?)
  /// Writes `new` if the register holds `expected`.
  case compareAndSet(expected: Value?, new: Value?)
}

/// What a register answers.
public enum RegisterOutput<Value: Hashable & Sendable>: Hashable, Sendable {
  case value(Value?)
  case written
  /// Whether a compare-and-set found what it expected, and wrote.
  case exchanged(Bool)
}
