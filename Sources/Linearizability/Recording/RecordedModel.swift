/// A model whose operations can be written to a file and read back.
public protocol RecordedModel: SequentialModel {
  /// The operations by name, in the order of the help text.
  static var signatures: [OperationSignature] { get }

  /// Returns the input that a line stands for. Its operation and number of arguments match a
  /// signature.
  func input(of record: RecordedOperation) throws(FieldMismatch) -> Input

  /// Returns the result on a line, which must be of the kind that `input` returns.
  func output(of record: RecordedOperation, to input: Input) throws(FieldMismatch) -> Output

  /// Returns the inverse of `input(of:)`: a name, a key and arguments.
  func call(for input: Input) -> RecordedCall

  /// Returns the inverse of `output(of:to:)`.
  func result(for output: Output) -> RecordedValue

  /// Returns the part of `state` that a report shows.
  func value(of state: State) -> RecordedValue
}

/// An operation's name, key and arguments, as a line has them.
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

/// An operation's name, its arguments and a description of its result.
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

/// A line of a history file: one operation, with names and values as text.
public struct RecordedOperation: Hashable, Sendable {
  /// The names on a line, in the order in which they are written.
  public enum Field: String, CaseIterable, Sendable {
    case worker, call, `return`, operation, key, arguments, result
  }

  public var worker: Int
  public var call: UInt64
  public var `return`: UInt64?
  public var operation: String
  /// The object among several, or the key of a dictionary.
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

/// An argument or a result in a history file.
public enum RecordedValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(UInt64)
  case string(String)
  /// A list contains no lists.
  case list([RecordedValue])
}

extension RecordedValue: CustomStringConvertible {
  /// The value as JSON.
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
  /// The string as a JSON string literal.
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

// MARK: Reading a line's values

extension RecordedValue {
  static func optional(_ string: String?) -> RecordedValue {
    string.map(RecordedValue.string) ?? .null
  }

  var asNumber: UInt64? { if case .number(let number) = self { number } else { nil } }
  var asString: String? { if case .string(let string) = self { string } else { nil } }
  var asList: [RecordedValue]? { if case .list(let list) = self { list } else { nil } }
}

extension RecordedOperation {
  /// Returns the argument at `index`, which must be a string.
  func string(_ index: Int) throws(FieldMismatch) -> String {
    guard let value = arguments[index].asString else {
      throw FieldMismatch(
        .arguments, expected: "a string", found: arguments[index].description)
    }
    return value
  }

  /// Returns the argument at `index`, which must be a string or null.
  func optionalString(_ index: Int) throws(FieldMismatch) -> String? {
    arguments[index] == .null ? nil : try string(index)
  }

  func nullResult() throws(FieldMismatch) {
    guard result == .null else { throw mismatch("null") }
  }

  func optionalStringResult() throws(FieldMismatch) -> String? {
    guard result != .null else { return nil }
    guard let value = result.asString else { throw mismatch("a string or null") }
    return value
  }

  func boolResult() throws(FieldMismatch) -> Bool {
    guard case .bool(let value) = result else { throw mismatch("true or false") }
    return value
  }

  func countResult() throws(FieldMismatch) -> Int {
    guard let count = result.asNumber.flatMap(Int.init(exactly:)) else {
      throw mismatch("a whole number")
    }
    return count
  }

  func stringsResult() throws(FieldMismatch) -> [String] {
    let strings = result.asList?.compactMap(\.asString)
    guard let strings, strings.count == result.asList?.count else {
      throw mismatch("a list of strings")
    }
    return strings
  }

  private func mismatch(_ expected: String) -> FieldMismatch {
    FieldMismatch(.result, expected: expected, found: result.description)
  }
}
