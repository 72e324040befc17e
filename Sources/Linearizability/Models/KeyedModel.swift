/// Many objects of one kind, identified by keys and checked independently.
public struct KeyedModel<Base: SequentialModel, Key: Hashable & Sendable>: SequentialModel {
  /// An operation and the key of its object.
  public struct Input: Sendable {
    /// The key of the object.
    public var key: Key
    /// The operation on the object.
    public var input: Base.Input

    /// Creates an input.
    public init(_ input: Base.Input, on key: Key) {
      self.key = key
      self.input = input
    }
  }

  /// A partition of one of the objects.
  public struct Partition: Hashable, Sendable {
    /// The key of the object.
    public var key: Key
    /// The partition in the object's own model.
    public var partition: Base.Partition
  }

  /// The result of an operation.
  public typealias Output = Base.Output

  /// The model of each object.
  public let base: Base

  /// Creates a model of many objects, each of which behaves as `base`.
  public init(_ base: Base) {
    self.base = base
  }

  /// The state of each object before its first operation.
  public var initialState: Base.State { base.initialState }

  /// Returns the object's key and the partition in its own model.
  public func partition(of input: Input) -> Partition {
    Partition(key: input.key, partition: base.partition(of: input.input))
  }

  /// Returns the successors in the base model.
  public func successors(
    of state: Base.State, after input: Input, returning output: Output?
  ) -> [Base.State] {
    base.successors(of: state, after: input.input, returning: output)
  }

  /// Advances the state as the base model does.
  public func advance(
    _ state: inout Base.State, after input: Input, returning output: Output?,
    others: inout [Base.State]
  ) -> Bool {
    base.advance(&state, after: input.input, returning: output, others: &others)
  }
}

extension KeyedModel: RecordedModel where Base: RecordedModel, Key == String? {
  /// The operations of the base model.
  public static var signatures: [OperationSignature] { Base.signatures }

  /// Returns the operation that a line stands for, on the object with the key of the line.
  public func input(of record: HistoryRecord) throws(FieldMismatch) -> Input {
    Input(try base.input(of: record), on: record.key)
  }

  /// Returns the result on a line.
  public func output(
    of record: HistoryRecord, to input: Input
  ) throws(FieldMismatch) -> Output {
    try base.output(of: record, to: input.input)
  }

  /// Returns the name, the key and the arguments of an operation.
  public func call(for input: Input) -> RecordedCall {
    var call = base.call(for: input.input)
    call.key = input.key
    return call
  }

  /// Returns a result as a line of a file contains it.
  public func result(for output: Output) -> RecordedValue {
    base.result(for: output)
  }

  /// Returns the state of an object, for a report.
  public func value(of state: Base.State) -> RecordedValue { base.value(of: state) }
}
