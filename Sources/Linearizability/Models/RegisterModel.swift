/// An operation on a register.
public enum RegisterInput<Value: Hashable & Sendable>: Hashable, Sendable {
  /// Returns the value.
  case read
  /// Sets the value.
  case write(Value?)
  /// Sets the value to `new` if it is `expected`.
  case compareAndSet(expected: Value?, new: Value?)
}

/// A result of an operation on a register.
public enum RegisterOutput<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The value that `read` returned.
  case value(Value?)
  /// The result of `write`.
  case written
  /// Whether a compare-and-set found the expected value and set the new one.
  case exchanged(Bool)
}

/// A register: a variable that holds one value, initially none.
public struct RegisterModel<Value: Hashable & Sendable>: DeterministicModel {
  /// Creates a model.
  public init() {}

  /// An operation.
  public typealias Input = RegisterInput<Value>
  /// The result of an operation.
  public typealias Output = RegisterOutput<Value>

  /// No value.
  public var initialState: Value? { nil }

  /// Returns 0: a register has one partition.
  public func partition(of input: RegisterInput<Value>) -> Int { 0 }

  /// Applies the operation to the value.
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
  /// The operations of a recorded register.
  public static var signatures: [OperationSignature] {
    [
      OperationSignature("read", result: "the value, or null"),
      OperationSignature("write", ["value"], result: "null"),
      OperationSignature(
        "compare-and-set", ["expected", "new"],
        result: "whether it found <expected> and set <new>"),
    ]
  }

  /// Returns the operation that a line stands for.
  public func input(of record: HistoryRecord) throws(FieldMismatch) -> Input {
    switch record.operation {
    case "read": .read
    case "write": .write(try record.optionalString(0))
    default:
      .compareAndSet(expected: try record.optionalString(0), new: try record.optionalString(1))
    }
  }

  /// Returns the result on a line.
  public func output(
    of record: HistoryRecord, to input: Input
  ) throws(FieldMismatch) -> Output {
    switch input {
    case .read: return .value(try record.optionalStringResult())
    case .write:
      try record.nullResult()
      return .written
    case .compareAndSet: return .exchanged(try record.boolResult())
    }
  }

  /// Returns the name and the arguments of an operation.
  public func call(for input: Input) -> RecordedCall {
    switch input {
    case .read: RecordedCall("read")
    case .write(let value): RecordedCall("write", .optional(value))
    case .compareAndSet(let expected, let new):
      RecordedCall("compare-and-set", .optional(expected), .optional(new))
    }
  }

  /// Returns a result as a line of a file contains it.
  public func result(for output: Output) -> RecordedValue {
    switch output {
    case .value(let value): .optional(value)
    case .written: .null
    case .exchanged(let didSet): .bool(didSet)
    }
  }

  /// Returns the value of the register, for a report.
  public func value(of state: String?) -> RecordedValue { .optional(state) }
}
