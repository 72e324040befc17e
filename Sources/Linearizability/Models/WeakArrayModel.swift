/// An operation on a weak array, or the death of an element.
public enum WeakArrayInput<Element: Hashable & Sendable>: Hashable, Sendable {
  case append(Element)
  /// Removes the earliest entry for the element.
  case remove(Element)
  case removeAll
  case contains(Element)
  /// Returns the live elements, in order.
  case snapshot
  /// Returns the number of entries that have a live element.
  case count
  /// The element's death, from before its owner releases the last strong reference that it knows of
  /// until after its `deinit` was observed.
  ///
  /// A thread that got the element from the array may keep it alive longer, and with it this call. If
  /// no `deinit` was observed, the call has no return.
  case die(Element)
}

/// A result of an operation on a weak array.
public enum WeakArrayOutput<Element: Hashable & Sendable>: Hashable, Sendable {
  /// The result of `append`, `removeAll` and `die`.
  case done
  /// Whether `remove` or `contains` found an entry.
  case found(Bool)
  case elements([Element])
  case count(Int)
}

/// An array of weak references, whose entries vanish when their elements die.
///
/// Death is an operation like the others. Before it begins, every lookup must find the element; after
/// it ended, none may; in between there is one moment, the same for all threads, at which that
/// changes. An element that died is never appended again.
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

  /// Returns `nil` if the input is impossible: a thread used a dead element.
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

extension WeakArrayModel: RecordedModel where Element == String {
  public static var signatures: [OperationSignature] {
    [
      OperationSignature("append", ["object"], result: "null"),
      OperationSignature(
        "remove", ["object"], result: "true if there was an entry; the earliest goes"),
      OperationSignature("remove-all", result: "null"),
      OperationSignature("contains", ["object"], result: "true or false"),
      OperationSignature("snapshot", result: "the list of live objects, in order of appending"),
      OperationSignature("count", result: "how many entries have a live object"),
      OperationSignature(
        "die", ["object"],
        result: "null; see below"),
    ]
  }

  public func input(of record: RecordedOperation) throws(FieldMismatch) -> Input {
    switch record.operation {
    case "append": .append(try record.string(0))
    case "remove": .remove(try record.string(0))
    case "remove-all": .removeAll
    case "contains": .contains(try record.string(0))
    case "snapshot": .snapshot
    case "count": .count
    default: .die(try record.string(0))
    }
  }

  public func output(
    of record: RecordedOperation, to input: Input
  ) throws(FieldMismatch) -> Output {
    switch input {
    case .append, .removeAll, .die:
      try record.nullResult()
      return .done
    case .remove, .contains: return .found(try record.boolResult())
    case .snapshot: return .elements(try record.stringsResult())
    case .count: return .count(try record.countResult())
    }
  }

  public func call(for input: Input) -> RecordedCall {
    switch input {
    case .append(let element): RecordedCall("append", .string(element))
    case .remove(let element): RecordedCall("remove", .string(element))
    case .removeAll: RecordedCall("remove-all")
    case .contains(let element): RecordedCall("contains", .string(element))
    case .snapshot: RecordedCall("snapshot")
    case .count: RecordedCall("count")
    case .die(let element): RecordedCall("die", .string(element))
    }
  }

  public func result(for output: Output) -> RecordedValue {
    switch output {
    case .done: .null
    case .found(let isFound): .bool(isFound)
    case .elements(let elements): .list(elements.map(RecordedValue.string))
    case .count(let count): .number(UInt64(count))
    }
  }

  /// The live elements. The dead ones are a set, which has no order to show.
  public func value(of state: State) -> RecordedValue {
    .list(state.live.map(RecordedValue.string))
  }
}
