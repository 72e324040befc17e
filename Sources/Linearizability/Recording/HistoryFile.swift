/// Reads and writes histories as JSON Lines, one operation per line, such as
///
/// ```json
/// {"worker":0,"call":1,"return":2,"operation":"append","key":"x","arguments":["y"],"result":null}
/// ```
///
/// - `worker` is a number that labels the calling thread. A worker calls an operation only after
///   its last one has returned.
/// - `call` and `return` are stamps: whole numbers from one clock. One operation precedes another
///   if its return is less than the other's call. A `return` of null means that the operation never
///   returned; it may or may not have taken effect.
/// - `key` distinguishes registers, arrays or the entries of a dictionary, each of which is checked
///   alone. Without a key there is one register or array.
/// - Arguments and results are strings. A register and an entry are null initially, and
///   `compare-and-set` uses null for no value.
///
/// Lines may be in any order; the reader ignores empty lines. A field that is missing (except
/// `key`), unknown or duplicated is an error.
public enum HistoryFile {
  /// Returns the history in a file.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file, in UTF-8.
  ///   - model: The model whose operations the file contains.
  /// - Throws: The first place where the file is malformed or does not fit the model. If there is
  ///   none, the first call of a worker during its last operation.
  /// - Complexity: O(*n*) for *n* bytes, and O(*m* log *m*) for *m* operations.
  public static func history<Model: RecordedModel>(
    in bytes: [UInt8], of model: Model
  ) throws(HistoryFileError) -> History<Model.Input, Model.Output> {
    var operations: [Operation<Model.Input, Model.Output>] = []
    var places: [(line: Int, column: Int)] = []
    var number = 0
    for line in lines(of: bytes) {
      number += 1
      guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else {
        continue
      }
      do {
        let (operation, call) = try operation(in: line, of: model)
        operations.append(operation)
        places.append((number, column(of: call, in: line)))
      } catch {
        throw HistoryFileError(
          line: number, column: column(of: error.position, in: line), expected: error.expected,
          found: error.found)
      }
    }
    guard !operations.isEmpty else {
      throw HistoryFileError(line: 1, column: 1, expected: "an operation", found: "none")
    }
    try checkWorkers(of: operations, places)
    return History(operations)
  }

  private static func column(of position: Int, in line: ArraySlice<UInt8>) -> Int {
    String(decoding: line[..<position], as: UTF8.self).count + 1
  }

  /// Throws if an operation of a worker begins before its last one has returned. This happens if
  /// two threads have the same number, or if stamps come from different clocks. A verdict on such a
  /// history would mean nothing.
  private static func checkWorkers<Input, Output>(
    of operations: [Operation<Input, Output>], _ places: [(line: Int, column: Int)]
  ) throws(HistoryFileError) {
    // Of equal calls the one that returns first comes first.
    let order = operations.indices.sorted {
      let (one, other) = (operations[$0], operations[$1])
      return (one.worker, one.call, one.return ?? .max)
        < (other.worker, other.call, other.return ?? .max)
    }
    var overlapping: Int?
    for (earlier, later) in zip(order, order.dropFirst())
    where operations[earlier].worker == operations[later].worker
      && operations[later].call < operations[earlier].return ?? .max
    {
      if places[later].line < overlapping.map({ places[$0].line }) ?? .max { overlapping = later }
    }
    guard let overlapping else { return }
    let operation = operations[overlapping]
    throw HistoryFileError(
      line: places[overlapping].line, column: places[overlapping].column,
      expected: "a call after the last operation of worker \(operation.worker) has returned",
      found: "\(operation.call)")
  }

  /// Returns the text of a history file, one line per operation, in the order of `operations`.
  public static func text<Model: RecordedModel>(
    of history: History<Model.Input, Model.Output>, _ model: Model
  ) -> String {
    history.operations.map { "\(record(of: $0, model))\n" }.joined()
  }

  /// Returns the line for an operation; its `description` is the text.
  public static func record<Model: RecordedModel>(
    of operation: Operation<Model.Input, Model.Output>, _ model: Model
  ) -> RecordedOperation {
    let call = model.call(for: operation.input)
    return RecordedOperation(
      worker: operation.worker, call: operation.call, return: operation.return,
      operation: call.operation, key: call.key, arguments: call.arguments,
      result: operation.output.map(model.result) ?? .null)
  }

  /// Splits a file at LF or CR LF, and drops a leading byte order mark.
  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    return text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
    }
  }

  private static func operation<Model: RecordedModel>(
    in line: ArraySlice<UInt8>, of model: Model
  ) throws(JSONScanner.Failure) -> (Operation<Model.Input, Model.Output>, call: Int) {
    var scanner = RecordScanner(line)
    let record = try scanner.record()
    do {
      try checkSignature(of: record, Model.signatures)
      let input = try model.input(of: record)
      let output = record.return == nil ? nil : try model.output(of: record, to: input)
      let operation = Operation(
        worker: record.worker, call: record.call, return: record.return, input: input,
        output: output)
      return (operation, scanner.position(of: .call))
    } catch {
      throw JSONScanner.Failure(
        position: scanner.position(of: error.field), expected: error.expected,
        found: error.found)
    }
  }

  private static func checkSignature(
    of record: RecordedOperation, _ signatures: [OperationSignature]
  ) throws(FieldMismatch) {
    guard let signature = signatures.first(where: { $0.name == record.operation }) else {
      let names = signatures.map(\.name).joined(separator: ", ")
      throw FieldMismatch(
        .operation, expected: "one of \(names)", found: record.operation.jsonQuoted)
    }
    let parameters = signature.parameters
    guard parameters.count == record.arguments.count else {
      let names = parameters.isEmpty ? "" : ": \(parameters.joined(separator: ", "))"
      throw FieldMismatch(
        .arguments,
        expected: "\(parameters.count) \(parameters.count == 1 ? "argument" : "arguments")\(names)",
        found: "\(record.arguments.count)")
    }
  }
}

/// An error in a history file.
public struct HistoryFileError: Error, Equatable {
  /// The line, from 1.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int
  /// A description of the text that the reader expected.
  public var expected: String
  /// The text that the reader found.
  public var found: String
}

extension HistoryFileError: CustomStringConvertible {
  /// The message: the place, the expected text and the text found.
  public var description: String {
    "line \(line), column \(column): expected \(expected), found \(Self.shortened(found))"
  }

  /// Returns at most 60 characters of `text`, without line breaks.
  private static func shortened(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let plain = scalars.prefix(60).map { scalar in
      scalar.properties.generalCategory == .control ? " " : String(scalar)
    }
    return plain.joined() + (scalars.count > 60 ? "…" : "")
  }
}
