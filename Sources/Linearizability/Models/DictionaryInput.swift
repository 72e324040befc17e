/// What can be asked of a dictionary about one key.
public enum DictionaryOperation<Value: Hashable & Sendable>: Hashable, Sendable {
  case get
  case set(Value)
  case remove
  /// Sets the value unless there is one.
  case insertIfAbsent(Value)
  /// Joins the value to the one that is there, or sets it if there is none.
  case append(Value)
  /// Sets or removes the value if the one that is there, or its absence, is the expected one.
  case compareAndSet(expected: Value?, new: Value?)
}

/// An operation on a dictionary and the key that it is about.
public struct DictionaryInput<Key: Hashable & Sendable, Value: Hashable & Sendable>: Hashable,
  Sendable
{
  public var key: Key
  public var operation: DictionaryOperation<Value>

  public init(_ operation: DictionaryOperation<Value>, _ key: Key) {
    self.key = key
    self.operation = operation
  }
}

/// What a dictionary answers.
public enum DictionaryOutput<Value: Hashable & Sendable>: Hashable, Sendable {
  /// To `get`, the value; to `remove`, the one removed; to `insertIfAbsent`, the one there afterwards.
  case value(Value?)
  /// To `set` and `append`.
  case done
  /// Whether a compare-and-set found what it expected, and set.
  case exchanged(Bool)
}
