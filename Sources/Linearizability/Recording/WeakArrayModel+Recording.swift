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

  /// The live elements; a set has no order to show.
  public func value(of state: State) -> RecordedValue {
    .list(state.live.map(RecordedValue.string))
  }
}
