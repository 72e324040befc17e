extension RegisterModel: RecordedModel where Value == String {
  public static var signatures: [OperationSignature] {
    [
      OperationSignature("read", result: "the value, or null at first"),
      OperationSignature("write", ["value"], result: "null"),
      OperationSignature(
        "compare-and-set", ["expected", "new"],
        result: "true if it was the expected one, and set"),
    ]
  }

  public func input(of record: RecordedOperation) throws(FieldMismatch) -> Input {
    switch record.operation {
    case "read": .read
    case "write": .write(try record.optionalString(0))
    default:
      .compareAndSet(expected: try record.optionalString(0), new: try record.optionalString(1))
    }
  }

  public func output(
    of record: RecordedOperation, to input: Input
  ) throws(FieldMismatch) -> Output {
    switch input {
    case .read: return .value(try record.optionalStringResult())
    case .write:
      try record.nullResult()
      return .written
    case .compareAndSet: return .exchanged(try record.boolResult())
    }
  }

  public func call(for input: Input) -> RecordedCall {
    switch input {
    case .read: RecordedCall("read")
    case .write(let value): RecordedCall("write", .optional(value))
    case .compareAndSet(let expected, let new):
      RecordedCall("compare-and-set", .optional(expected), .optional(new))
    }
  }

  public func result(for output: Output) -> RecordedValue {
    switch output {
    case .value(let value): .optional(value)
    case .written: .null
    case .exchanged(let didSet): .bool(didSet)
    }
  }

  public func value(of state: String?) -> RecordedValue { .optional(state) }
}

extension RecordedValue {
  static func optional(_ string: String?) -> RecordedValue {
    string.map(RecordedValue.string) ?? .null
  }
}
