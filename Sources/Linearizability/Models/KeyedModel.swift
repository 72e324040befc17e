/// Many objects of one kind, each told by its key and a part of its own.
public struct KeyedModel<Base: SequentialModel, Key: Hashable & Sendable>: SequentialModel {
  /// An operation, and the object that it is on.
  public struct Input: Sendable {
    public var key: Key
    public var input: Base.Input

    public init(_ input: Base.Input, on key: Key) {
      self.key = key
      self.input = input
    }
  }

  /// A part of an object.
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
