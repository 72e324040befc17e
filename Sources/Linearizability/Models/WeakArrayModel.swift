/// An array of weak references: its entries vanish when their elements die.
///
/// Death is an operation like the others. Before it has begun, everybody must find the element; after
/// it ended, nobody may; while it is under way there is one moment, the same for all, that parts the
/// two. An element that died is never appended again.
public struct WeakArrayModel<Element: Hashable & Sendable>: DeterministicModel {
  public struct State: Hashable, Sendable {
    /// The elements of all entries that are alive, in order.
    public var live: [Element] = []
    public var dead: Set<Element> = []
  }

  public init() {}

  public typealias Input = WeakArrayInput<Element>
  public typealias Output = WeakArrayOutput<Element>

  public var initialState: State { State() }

  public func partition(of input: WeakArrayInput<Element>) -> Int { 0 }

  public func apply(
    _ input: WeakArrayInput<Element>, to state: inout State,
    returning output: WeakArrayOutput<Element>?
  ) -> Bool {
    guard let answer = answer(to: input, in: &state) else { return false }
    return output == nil || output == answer
  }

  /// `nil` where the input makes no sense: somebody held a dead element.
  private func answer(
    to input: WeakArrayInput<Element>, in state: inout State
  ) -> WeakArrayOutput<Element>? {
    switch input {
    case .append(let element):
      guard !state.dead.contains(element) else { return nil }
      state.live.append(element)
      return .done
    case .remove(let element):
      let index = state.live.firstIndex(of: element)
      if let index { state.live.remove(at: index) }
      return .found(index != nil)
    case .removeAll:
      state.live.removeAll()
      return .done
    case .contains(let element): return .found(state.live.contains(element))
    case .snapshot: return .elements(state.live)
    case .count: return .count(state.live.count)
    case .die(let element):
      guard state.dead.insert(element).inserted else { return nil }
      state.live.removeAll { $0 == element }
      return .done
    }
  }
}
