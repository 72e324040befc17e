/// An operation on a weak array, or the death of an element.
public enum WeakArrayInput<Element: Hashable & Sendable>: Hashable, Sendable {
  /// Appends an entry for the element.
  case append(Element)
  /// Removes the earliest entry for the element.
  case remove(Element)
  /// Removes all entries.
  case removeAll
  /// Returns whether there is an entry for the element.
  case contains(Element)
  /// Returns the live elements, in order.
  case snapshot
  /// Returns the number of entries that have a live element.
  case count
  /// The element's death. The call begins before the owner releases its last strong reference, and
  /// returns after the recorder observed the `deinit`.
  ///
  /// A thread that got the element from the array may keep it alive longer; this call then takes
  /// longer. If the recorder observed no `deinit`, the call has no return.
  case die(Element)
}

/// A result of an operation on a weak array.
public enum WeakArrayOutput<Element: Hashable & Sendable>: Hashable, Sendable {
  /// The result of `append`, `removeAll` and `die`.
  case done
  /// Whether `remove` or `contains` found an entry.
  case found(Bool)
  /// The result of `snapshot`.
  case elements([Element])
  /// The result of `count`.
  case count(Int)
}

/// An array of weak references, whose entries disappear when their elements die.
///
/// Death is an operation like the others. Before an element's death begins, every lookup must find
/// it; after its death has ended, no lookup may. In between, there is one moment at which the
/// element disappears, the same for all threads. No operation appends an element after its death.
public struct WeakArrayModel<Element: Hashable & Sendable>: DeterministicModel {
  /// The live elements, and the ones that died.
  public struct State: Hashable, Sendable {
    /// The elements of all entries, in order. All are alive.
    public var live: [Element] = []
    /// The elements that died.
    public var dead: Set<Element> = []
  }

  /// Creates a model.
  public init() {}

  /// An operation.
  public typealias Input = WeakArrayInput<Element>
  /// The result of an operation.
  public typealias Output = WeakArrayOutput<Element>

  /// No elements.
  public var initialState: State { State() }

  /// Returns 0: an array has one partition.
  public func partition(of input: WeakArrayInput<Element>) -> Int { 0 }

  /// Applies the operation. Returns false if its result is impossible, or if it appends or kills an
  /// element that is dead.
  public func apply(
    _ input: WeakArrayInput<Element>, to state: inout State,
    returning output: WeakArrayOutput<Element>?
  ) -> Bool {
    guard let answer = answer(to: input, in: &state) else { return false }
    return output == nil || output == answer
  }

  /// Returns the result of the input; `nil` if it appends or kills an element that is dead.
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
  /// The operations of a recorded weak array.
  public static var signatures: [OperationSignature] {
    [
      OperationSignature("append", ["object"], result: "null"),
      OperationSignature(
        "remove", ["object"], result: "whether it removed an entry, the earliest"),
      OperationSignature("remove-all", result: "null"),
      OperationSignature("contains", ["object"], result: "whether there is an entry"),
      OperationSignature("snapshot", result: "the live objects, in order"),
      OperationSignature("count", result: "the number of entries with a live object"),
      OperationSignature(
        "die", ["object"],
        result: "null; from the last strong release to the end of deinit"),
    ]
  }

  /// Returns the operation that a line stands for.
  public func input(of record: HistoryRecord) throws(FieldMismatch) -> Input {
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

  /// Returns the result on a line.
  public func output(
    of record: HistoryRecord, to input: Input
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

  /// Returns the name and the arguments of an operation.
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

  /// Returns a result as a line of a file contains it.
  public func result(for output: Output) -> RecordedValue {
    switch output {
    case .done: .null
    case .found(let isFound): .bool(isFound)
    case .elements(let elements): .list(elements.map(RecordedValue.string))
    case .count(let count): .number(UInt64(count))
    }
  }

  /// Returns the live elements. A report omits the dead ones, which have no order.
  public func value(of state: State) -> RecordedValue {
    .list(state.live.map(RecordedValue.string))
  }
}
