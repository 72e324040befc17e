/// A model whose operations `HistoryFile` can write and read.
public protocol RecordedModel: SequentialModel {
  /// The operations by name, in the order of the help text.
  static var signatures: [OperationSignature] { get }

  /// Returns the operation that a line stands for.
  ///
  /// - Parameter record: The line. Its operation and its number of arguments match a signature.
  /// - Throws: The first field whose value does not fit.
  func input(of record: HistoryRecord) throws(FieldMismatch) -> Input

  /// Returns the result on a line.
  ///
  /// - Throws: An error if the result is not of the kind that `input` returns.
  func output(of record: HistoryRecord, to input: Input) throws(FieldMismatch) -> Output

  /// Returns the name, the key and the arguments of `input`: the inverse of `input(of:)`.
  func call(for input: Input) -> RecordedCall

  /// Returns `output` as a line contains it: the inverse of `output(of:to:)`.
  func result(for output: Output) -> RecordedValue

  /// Returns the part of `state` that a report shows.
  func value(of state: State) -> RecordedValue
}

/// The name, the key and the arguments of an operation, as a line contains them.
public struct RecordedCall: Hashable, Sendable {
  /// The name of the operation.
  public var operation: String
  /// The key; `nil` if there is none.
  public var key: String?
  /// The arguments, in the order of the signature.
  public var arguments: [RecordedValue]

  /// Creates a call.
  public init(_ operation: String, key: String? = nil, _ arguments: RecordedValue...) {
    self.operation = operation
    self.key = key
    self.arguments = arguments
  }
}

/// The name of an operation, its parameters and a description of its result.
public struct OperationSignature: Hashable, Sendable {
  /// The name on a line.
  public var name: String
  /// The names of the arguments.
  public var parameters: [String]
  /// The description of the result in the help text.
  public var result: String

  /// Creates a signature.
  public init(_ name: String, _ parameters: [String] = [], result: String) {
    self.name = name
    self.parameters = parameters
    self.result = result
  }
}

/// One operation of a history file, with names and values as text: a line of JSON Lines.
public struct HistoryRecord: Hashable, Sendable {
  /// The names of the fields, in the order of a line.
  public enum Field: String, CaseIterable, Sendable {
    /// The calling thread.
    case worker
    /// The stamp of the call.
    case call
    /// The stamp of the return.
    case `return`
    /// The name of the operation.
    case operation
    /// The object or the key.
    case key
    /// The list of arguments.
    case arguments
    /// The result.
    case result
  }

  /// The calling thread, as a label for reports.
  public var worker: Int
  /// The stamp of the call.
  public var call: UInt64
  /// The stamp of the return; `nil` if the operation never returned.
  public var `return`: UInt64?
  /// The name of the operation.
  public var operation: String
  /// The name of one of several objects, or the key of a dictionary; `nil` if there is none.
  public var key: String?
  /// The arguments.
  public var arguments: [RecordedValue]
  /// The result; `null` if the operation never returned.
  public var result: RecordedValue

  /// Creates a line.
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

extension HistoryRecord: CustomStringConvertible {
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
  /// No value.
  case null
  /// A truth value.
  case bool(Bool)
  /// A whole number that is not negative.
  case number(UInt64)
  /// A string.
  case string(String)
  /// A list, whose elements are not lists.
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

/// The error that a field of a line does not fit the model.
public struct FieldMismatch: Error, Equatable {
  /// The field.
  public var field: HistoryRecord.Field
  /// A description of the values that the model expects.
  public var expected: String
  /// The value on the line.
  public var found: String

  /// Creates an error.
  public init(_ field: HistoryRecord.Field, expected: String, found: String) {
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

extension HistoryRecord {
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
