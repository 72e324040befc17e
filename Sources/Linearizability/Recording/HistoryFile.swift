/// Histories as JSON Lines: one operation a line, such as
///
/// ```json
/// {"worker":0,"call":10,"return":25,"operation":"append","key":"x","arguments":["y"],"result":null}
/// ```
///
/// `return` is null if the operation never returned. Lines may be in any order; empty ones are skipped.
/// A field that is missing (but for `key`), unknown or there twice is an error.
public enum HistoryFile {
  /// The history in a file, or the first place where the file is damaged or does not fit the model.
  public static func history<Model: RecordedModel>(
    in bytes: [UInt8], of model: Model
  ) throws(HistoryFileError) -> History<Model.Input, Model.Output> {
    var operations: [Operation<Model.Input, Model.Output>] = []
    var number = 0
    for line in lines(of: bytes) {
      number += 1
      guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else {
        continue
      }
      do {
        operations.append(try operation(in: line, of: model))
      } catch {
        throw HistoryFileError(failure: error, line: number, text: line)
      }
    }
    guard !operations.isEmpty else {
      throw HistoryFileError(line: 1, column: 1, expected: "an operation", found: "an empty file")
    }
    return History(operations)
  }

  /// The file that holds a history, a line for each operation in the order of `operations`.
  public static func text<Model: RecordedModel>(
    of history: History<Model.Input, Model.Output>, _ model: Model
  ) -> String {
    history.operations.map { "\(record(of: $0, model))\n" }.joined()
  }

  /// The line for an operation.
  public static func record<Model: RecordedModel>(
    of operation: Operation<Model.Input, Model.Output>, _ model: Model
  ) -> RecordedOperation {
    let call = model.call(for: operation.input)
    return RecordedOperation(
      worker: operation.worker, call: operation.call, return: operation.return,
      operation: call.operation, key: call.key, arguments: call.arguments,
      result: operation.output.map(model.result) ?? .null)
  }

  /// Without line ends, LF or CR LF, and a byte order mark.
  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    return text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
    }
  }

  private static func operation<Model: RecordedModel>(
    in line: ArraySlice<UInt8>, of model: Model
  ) throws(JSONScanner.Failure) -> Operation<Model.Input, Model.Output> {
    var scanner = RecordScanner(line)
    let record = try scanner.record()
    do {
      try checkSignature(of: record, Model.signatures)
      let input = try model.input(of: record)
      let output = record.return == nil ? nil : try model.output(of: record, to: input)
      return Operation(
        worker: record.worker, call: record.call, return: record.return, input: input,
        output: output)
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

extension HistoryFileError {
  fileprivate init(failure: JSONScanner.Failure, line: Int, text: ArraySlice<UInt8>) {
    let before = String(decoding: text[..<failure.position], as: UTF8.self)
    self.init(
      line: line, column: before.count + 1, expected: failure.expected, found: failure.found)
  }
}

/// What is wrong with a history file, and where; lines and columns count from 1, columns in characters.
public struct HistoryFileError: Error, Equatable {
  public var line: Int
  public var column: Int
  public var expected: String
  public var found: String
}

extension HistoryFileError: CustomStringConvertible {
  public var description: String {
    "line \(line), column \(column): expected \(expected), found \(Self.shortened(found))"
  }

  /// On one line, whatever the text, and not endless.
  private static func shortened(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let plain = scalars.prefix(60).map { scalar in
      scalar.properties.generalCategory == .control ? " " : String(scalar)
    }
    return plain.joined() + (scalars.count > 60 ? "…" : "")
  }
}
