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
