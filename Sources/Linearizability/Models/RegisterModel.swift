/// An operation on a register.
public enum RegisterInput<Value: Hashable & Sendable>: Hashable, Sendable {
  case read
  case write(Value?)
  /// Writes `new` if the register holds `expected`.
  case compareAndSet(expected: Value?, new: Value?)
}

/// A result of an operation on a register.
public enum RegisterOutput<Value: Hashable & Sendable>: Hashable, Sendable {
  case value(Value?)
  case written
  /// Whether a compare-and-set found the expected value and wrote.
  case exchanged(Bool)
}

/// A variable that holds one value, initially none.
public struct RegisterModel<Value: Hashable & Sendable>: DeterministicModel {
  public init() {}

  public typealias Input = RegisterInput<Value>
  public typealias Output = RegisterOutput<Value>

  public var initialState: Value? { nil }

  public func partition(of input: RegisterInput<Value>) -> Int { 0 }

  public func apply(
    _ input: RegisterInput<Value>, to state: inout Value?, returning output: RegisterOutput<Value>?
  ) -> Bool {
    let answer = answer(to: input, in: &state)
    return output == nil || output == answer
  }

  private func answer(
    to input: RegisterInput<Value>, in state: inout Value?
  ) -> RegisterOutput<Value> {
    switch input {
    case .read: return .value(state)
    case .write(let value):
      state = value
      return .written
    case .compareAndSet(let expected, let new):
      guard state == expected else { return .exchanged(false) }
      state = new
      return .exchanged(true)
    }
  }
}

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
