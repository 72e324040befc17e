/// A variable that holds one value, or none at first.
public struct RegisterModel<Value: Hashable & Sendable>: DeterministicModel {
  public init() {}

  public typealias Input = RegisterInput<Value>
  public typealias Output = RegisterOutput<Value>

  public var initialState: Value? { nil }

  public func partition(of input: RegisterInput<Value>) -> Int { 0 }

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
