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
