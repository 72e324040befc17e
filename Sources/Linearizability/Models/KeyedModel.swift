/// Many objects of one kind, identified by keys and checked independently.
public struct KeyedModel<Base: SequentialModel, Key: Hashable & Sendable>: SequentialModel {
  /// An operation and the key of its object.
  public struct Input: Sendable {
    public var key: Key
    public var input: Base.Input

    public init(_ input: Base.Input, on key: Key) {
      self.key = key
      self.input = input
    }
  }

  /// A partition of one object.
  public struct Partition: Hashable, Sendable {
    public var key: Key
    public var partition: Base.Partition
  }

  public typealias Output = Base.Output

  public let base: Base

  public init(_ base: Base) {
    self.base = base
  }

  public var initialState: Base.State { base.initialState }

  public func partition(of input: Input) -> Partition {
    Partition(key: input.key, partition: base.partition(of: input.input))
  }

  public func successors(
    of state: Base.State, after input: Input, returning output: Output?
  ) -> [Base.State] {
    base.successors(of: state, after: input.input, returning: output)
  }

  public func advance(
    _ state: inout Base.State, after input: Input, returning output: Output?,
    others: inout [Base.State]
  ) -> Bool {
    base.advance(&state, after: input.input, returning: output, others: &others)
  }
}

extension KeyedModel: RecordedModel where Base: RecordedModel, Key == String? {
  public static var signatures: [OperationSignature] { Base.signatures }

  public func input(of record: RecordedOperation) throws(FieldMismatch) -> Input {
    Input(try base.input(of: record), on: record.key)
  }

  public func output(
    of record: RecordedOperation, to input: Input
  ) throws(FieldMismatch) -> Output {
    try base.output(of: record, to: input.input)
  }

  public func call(for input: Input) -> RecordedCall {
    var call = base.call(for: input.input)
    call.key = input.key
    return call
  }

  public func result(for output: Output) -> RecordedValue {
    base.result(for: output)
  }

  public func value(of state: Base.State) -> RecordedValue { base.value(of: state) }
}
