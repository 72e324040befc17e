/// A dictionary, each key a part of its own.
public struct DictionaryModel<Key: Hashable & Sendable, Value: Hashable & Sendable>:
  DeterministicModel
{
  private let join: @Sendable (Value, Value) -> Value

  /// - Parameter join: what `append` leaves of the value that was there and the one appended.
  public init(joining join: @escaping @Sendable (Value, Value) -> Value) {
    self.join = join
  }

  public typealias Input = DictionaryInput<Key, Value>
  public typealias Output = DictionaryOutput<Value>

  public var initialState: Value? { nil }

  public func partition(of input: DictionaryInput<Key, Value>) -> Key { input.key }

  public func apply(
    _ input: DictionaryInput<Key, Value>, to state: inout Value?,
    returning output: DictionaryOutput<Value>?
  ) -> Bool {
    let answer = answer(to: input.operation, in: &state)
    return output == nil || output == answer
  }

  private func answer(
    to operation: DictionaryOperation<Value>, in state: inout Value?
  ) -> DictionaryOutput<Value> {
    switch operation {
    case .get:
      return .value(state)
    case .set(let value):
      state = value
      return .done
    case .remove:
      defer { state = nil }
      return .value(state)
    case .insertIfAbsent(let value):
      if state == nil { state = value }
      return .value(state)
    case .append(let value):
      state = state.map { join($0, value) } ?? value
      return .done
    case .compareAndSet(let expected, let new):
      guard state == expected else { return .exchanged(false) }
      state = new
      return .exchanged(true)
    }
  }
}

extension DictionaryModel where Value: RangeReplaceableCollection {
  /// Values that `append` makes longer, such as strings.
  public init() {
    self.init { $0 + $1 }
  }
}
