extension DictionaryModel: RecordedModel where Key == String, Value == String {
  public static var signatures: [OperationSignature] {
    [
      OperationSignature("get", result: "the value, or null if there is none"),
      OperationSignature("set", ["value"], result: "null"),
      OperationSignature("remove", result: "the removed value, or null"),
      OperationSignature(
        "insert-if-absent", ["value"], result: "the value that is there afterwards"),
      OperationSignature(
        "append", ["text"], result: "null; no value is an empty one"),
      OperationSignature(
        "compare-and-set", ["expected", "new"],
        result: "true if it was the expected one, and set"),
    ]
  }

  public func input(of record: RecordedOperation) throws(FieldMismatch) -> Input {
    guard let key = record.key else {
      throw FieldMismatch(.key, expected: "a key, which is a string", found: "none")
    }
    return Input(try Self.operation(of: record), key)
  }

  private static func operation(
    of record: RecordedOperation
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

  public func output(
    of record: RecordedOperation, to input: Input
  ) throws(FieldMismatch) -> Output {
    switch input.operation {
    case .get, .remove, .insertIfAbsent: return .value(try record.optionalStringResult())
    case .set, .append:
      try record.nullResult()
      return .done
    case .compareAndSet: return .exchanged(try record.boolResult())
    }
  }

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

  public func result(for output: Output) -> RecordedValue {
    switch output {
    case .value(let value): .optional(value)
    case .done: .null
    case .exchanged(let didSet): .bool(didSet)
    }
  }

  public func value(of state: String?) -> RecordedValue { .optional(state) }
}
