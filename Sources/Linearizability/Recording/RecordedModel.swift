/// A model whose operations can be written to a file and read back.
public protocol RecordedModel: SequentialModel {
  /// The operations by name, in the order in which the help lists them.
  static var signatures: [OperationSignature] { get }

  /// The input that a line stands for; its operation and number of arguments are those of a signature.
  func input(of record: RecordedOperation) throws(FieldMismatch) -> Input

  /// The result on a line, which must be one that `input` can have.
  func output(of record: RecordedOperation, to input: Input) throws(FieldMismatch) -> Output

  /// The inverse of `input(of:)`: a name, a key and arguments.
  func call(for input: Input) -> RecordedCall

  /// The inverse of `output(of:to:)`.
  func result(for output: Output) -> RecordedValue

  /// What a report shows of a state.
  func value(of state: State) -> RecordedValue
}

/// What a line says about an operation besides when it was, who called, and what came of it.
public struct RecordedCall: Hashable, Sendable {
  public var operation: String
  public var key: String?
  public var arguments: [RecordedValue]

  public init(_ operation: String, key: String? = nil, _ arguments: RecordedValue...) {
    self.operation = operation
    self.key = key
    self.arguments = arguments
  }
}

/// An operation's name, arguments and result, for people and for checking their number.
public struct OperationSignature: Hashable, Sendable {
  public var name: String
  public var parameters: [String]
  public var result: String

  public init(_ name: String, _ parameters: [String] = [], result: String) {
    self.name = name
    self.parameters = parameters
    self.result = result
  }
}

/// A line of a history file: an operation with its names and values spelled out.
public struct RecordedOperation: Hashable, Sendable {
  /// The names on a line, in the order in which they are written.
  public enum Field: String, CaseIterable, Sendable {
    case worker, call, `return`, operation, key, arguments, result
  }

  public var worker: Int
  public var call: UInt64
  public var `return`: UInt64?
  public var operation: String
  /// Which of several objects, or which of a dictionary's keys.
  public var key: String?
  public var arguments: [RecordedValue]
  public var result: RecordedValue

  public init(
    worker: Int, call: UInt64, return: UInt64?, operation: String, key: String?,
    arguments: [RecordedValue], result: RecordedValue
  ) {
    self.worker = worker
    self.call = call
    self.return = `return`
    self.operation = operation
    self.key = key
    self.arguments = arguments
    self.result = result
  }
}

extension RecordedOperation: CustomStringConvertible {
  /// The line, as JSON without a line break.
  public var description: String {
    let fields: [(Field, RecordedValue)] = [
      (.worker, .number(UInt64(worker))), (.call, .number(call)),
      (.return, `return`.map(RecordedValue.number) ?? .null), (.operation, .string(operation)),
      (.key, key.map(RecordedValue.string) ?? .null), (.arguments, .list(arguments)),
      (.result, result),
    ]
    return "{" + fields.map { "\"\($0.rawValue)\":\($1)" }.joined(separator: ",") + "}"
  }
}

/// An argument or a result, as a history file has it.
public enum RecordedValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(UInt64)
  case string(String)
  /// A list holds no lists.
  case list([RecordedValue])
}

extension RecordedValue: CustomStringConvertible {
  /// As it stands in the file.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): "\(value)"
    case .string(let value): value.jsonQuoted
    case .list(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
    }
  }
}

extension String {
  /// In quotation marks, with what JSON must escape escaped.
  var jsonQuoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// A field of a line that does not fit the model.
public struct FieldMismatch: Error, Equatable {
  public var field: RecordedOperation.Field
  public var expected: String
  public var found: String

  public init(_ field: RecordedOperation.Field, expected: String, found: String) {
    self.field = field
    self.expected = expected
    self.found = found
  }
}

extension RecordedOperation {
  /// The argument at `index`, which must be a string.
  func string(_ index: Int) throws(FieldMismatch) -> String {
    guard let value = try optionalString(index) else {
      throw FieldMismatch(.arguments, expected: "a string", found: "null")
    }
    return value
  }

  /// The argument at `index`, which must be a string or null.
  func optionalString(_ index: Int) throws(FieldMismatch) -> String? {
    switch arguments[index] {
    case .null: return nil
    case .string(let value): return value
    case let other:
      throw FieldMismatch(.arguments, expected: "a string", found: other.description)
    }
  }

  func nullResult() throws(FieldMismatch) {
    guard result == .null else { throw mismatch("null") }
  }

  func optionalStringResult() throws(FieldMismatch) -> String? {
    switch result {
    case .null: return nil
    case .string(let value): return value
    default: throw mismatch("a string or null")
    }
  }

  func boolResult() throws(FieldMismatch) -> Bool {
    guard case .bool(let value) = result else { throw mismatch("true or false") }
    return value
  }

  func countResult() throws(FieldMismatch) -> Int {
    guard case .number(let value) = result, let count = Int(exactly: value) else {
      throw mismatch("a whole number")
    }
    return count
  }

  func stringsResult() throws(FieldMismatch) -> [String] {
    guard case .list(let values) = result else { throw mismatch("a list of strings") }
    var strings: [String] = []
    for value in values {
      guard case .string(let string) = value else { throw mismatch("a list of strings") }
      strings.append(string)
    }
    return strings
  }

  private func mismatch(_ expected: String) -> FieldMismatch {
    FieldMismatch(.result, expected: expected, found: result.description)
  }
}
