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
