/// An operation on one key of a dictionary.
public enum DictionaryOperation<Value: Hashable & Sendable>: Hashable, Sendable {
  /// Returns the value.
  case get
  /// Sets the value.
  case set(Value)
  /// Removes and returns the value.
  case remove
  /// Sets the value if there is none.
  case insertIfAbsent(Value)
  /// Joins the value to the present one, or sets it if there is no present one.
  case append(Value)
  /// Sets the value to `new` if it is `expected`; `nil` stands for no value.
  case compareAndSet(expected: Value?, new: Value?)
}

/// An operation on a dictionary and its key.
public struct DictionaryInput<Key: Hashable & Sendable, Value: Hashable & Sendable>: Hashable,
  Sendable
{
  /// The key.
  public var key: Key
  /// The operation on the key.
  public var operation: DictionaryOperation<Value>

  /// Creates an input.
  public init(_ operation: DictionaryOperation<Value>, _ key: Key) {
    self.key = key
    self.operation = operation
  }
}

/// A result of an operation on a dictionary.
public enum DictionaryOutput<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The value that `get` found, that `remove` removed, or that is present after `insertIfAbsent`.
  case value(Value?)
  /// The result of `set` and `append`.
  case done
  /// Whether a compare-and-set found the expected value and set the new one.
  case exchanged(Bool)
}

/// A dictionary in which each key is a partition.
public struct DictionaryModel<Key: Hashable & Sendable, Value: Hashable & Sendable>:
  DeterministicModel
{
  /// The value of each key before its first operation; `nil` for none.
  public let initialState: Value?
  private let join: @Sendable (Value, Value) -> Value

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - initialValue: The value of each key before its first operation; `nil` for none.
  ///   - join: Returns the value after `append`, from the present value and the appended one.
  public init(
    initialValue: Value? = nil, joining join: @escaping @Sendable (Value, Value) -> Value
  ) {
    initialState = initialValue
    self.join = join
  }

  /// An operation and its key.
  public typealias Input = DictionaryInput<Key, Value>
  /// The result of an operation.
  public typealias Output = DictionaryOutput<Value>

  /// Returns the key: each key is a partition.
  public func partition(of input: DictionaryInput<Key, Value>) -> Key { input.key }

  /// Applies the operation to the value of its key.
  public func apply(
    _ input: DictionaryInput<Key, Value>, to state: inout Value?,
    returning output: DictionaryOutput<Value>?
  ) -> Bool {
    let answer = answer(to: input.operation, in: &state)
    return output == nil || output == answer
  }

  private func answer(
    to operation: DictionaryOperation<Value>, in state: inout Value?
  ) -> DictionaryOutput<Value> {
    switch operation {
    case .get:
      return .value(state)
    case .set(let value):
      state = value
      return .done
    case .remove:
      defer { state = nil }
      return .value(state)
    case .insertIfAbsent(let value):
      if state == nil { state = value }
      return .value(state)
    case .append(let value):
      state = state.map { join($0, value) } ?? value
      return .done
    case .compareAndSet(let expected, let new):
      guard state == expected else { return .exchanged(false) }
      state = new
      return .exchanged(true)
    }
  }
}

extension DictionaryModel where Value: RangeReplaceableCollection {
  /// Creates a model in which `append` concatenates values, such as strings.
  ///
  /// - Parameter initialValue: The value of each key before its first operation; `nil` for none.
  public init(initialValue: Value? = nil) {
    self.init(initialValue: initialValue) { $0 + $1 }
  }
}

extension DictionaryModel: RecordedModel where Key == String, Value == String {
  /// The operations of a recorded dictionary.
  public static var signatures: [OperationSignature] {
    [
      OperationSignature("get", result: "the value, or null"),
      OperationSignature("set", ["value"], result: "null"),
      OperationSignature("remove", result: "the removed value, or null"),
      OperationSignature(
        "insert-if-absent", ["value"], result: "the value afterwards"),
      OperationSignature(
        "append", ["text"], result: "null; a missing value counts as empty"),
      OperationSignature(
        "compare-and-set", ["expected", "new"],
        result: "whether it found <expected> and set <new>"),
    ]
  }

  /// Returns the operation that a line stands for.
  public func input(of record: HistoryRecord) throws(FieldMismatch) -> Input {
    guard let key = record.key else {
      throw FieldMismatch(.key, expected: "a key, which is a string", found: "none")
    }
    return Input(try Self.operation(of: record), key)
  }

  private static func operation(
    of record: HistoryRecord
  ) throws(FieldMismatch) -> DictionaryOperation<String> {
    switch record.operation {
    case "get": .get
    case "set": .set(try record.string(0))
    case "remove": .remove
    case "insert-if-absent": .insertIfAbsent(try record.string(0))
    case "append": .append(try record.string(0))
    default:
      .compareAndSet(expected: try record.optionalString(0), new: try record.optionalString(1))
    }
  }

  /// Returns the result on a line.
  public func output(
    of record: HistoryRecord, to input: Input
  ) throws(FieldMismatch) -> Output {
    switch input.operation {
    case .get, .remove, .insertIfAbsent: return .value(try record.optionalStringResult())
    case .set, .append:
      try record.nullResult()
      return .done
    case .compareAndSet: return .exchanged(try record.boolResult())
    }
  }

  /// Returns the name and the arguments of an operation.
  public func call(for input: Input) -> RecordedCall {
    var call =
      switch input.operation {
      case .get: RecordedCall("get")
      case .set(let value): RecordedCall("set", .string(value))
      case .remove: RecordedCall("remove")
      case .insertIfAbsent(let value): RecordedCall("insert-if-absent", .string(value))
      case .append(let text): RecordedCall("append", .string(text))
      case .compareAndSet(let expected, let new):
        RecordedCall("compare-and-set", .optional(expected), .optional(new))
      }
    call.key = input.key
    return call
  }

  /// Returns a result as a line of a file contains it.
  public func result(for output: Output) -> RecordedValue {
    switch output {
    case .value(let value): .optional(value)
    case .done: .null
    case .exchanged(let didSet): .bool(didSet)
    }
  }

  /// Returns the value of a key, for a report.
  public func value(of state: String?) -> RecordedValue { .optional(state) }
}
