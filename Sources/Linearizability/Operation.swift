/// One call of an operation on a shared object, as a worker saw it.
public struct Operation<Input: Sendable, Output: Sendable>: Sendable {
  /// Who called. Only a label for reports: order comes from the stamps alone.
  public var worker: Int
  /// When the call began, on a clock that all workers share.
  public var call: UInt64
  /// When the call ended; `nil` if it never did. It then may or may not have taken effect.
  public var `return`: UInt64?
  public var input: Input
  /// The result; `nil` if the call never ended.
  public var output: Output?

  public init(worker: Int, call: UInt64, return: UInt64?, input: Input, output: Output?) {
    self.worker = worker
    self.call = call
    self.return = `return`
    self.input = input
    self.output = output
  }
}

extension Operation: Equatable where Input: Equatable, Output: Equatable {}
