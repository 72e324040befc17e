/// Reads histories, and writes them as JSON Lines, one operation per line, such as
///
/// ```json
/// {"worker":0,"call":1,"return":2,"operation":"append","key":"x","arguments":["y"],"result":null}
/// ```
///
/// - `worker` is a number that identifies the calling thread. A worker calls an operation only
///   after its previous one has returned.
/// - `call` and `return` are stamps: whole numbers from one clock. One operation precedes another
///   if its return is less than the call of the other. A `return` of null means that the operation
///   never returned; it may or may not have taken effect.
/// - `key` identifies one of several registers or arrays, or an entry of a dictionary. Each is
///   checked alone. Without a key there is one register or array.
/// - Arguments and results are strings. A register and an entry are null initially, and
///   `compare-and-set` uses null for no value.
///
/// Lines may be in any order; the reader ignores empty lines. A field that is missing (except
/// `key`), unknown or duplicated is an error.
///
/// The reader also reads two logs of events; see ``Format``.
public enum HistoryFile {
  /// A format of histories. The raw value is its name on a command line.
  public enum Format: String, CaseIterable, Sendable {
    /// JSON Lines, in any order; see ``HistoryFile``.
    case jsonLines = "json-lines"
    /// The log of Jepsen's etcd test, for ``RegisterModel``: `read`, `write` and `cas`, such as
    /// `INFO  jepsen.util - 0 :invoke :cas [1 2]`, with tabs or spaces between the words.
    ///
    /// A line is an event: a process calls an operation (`:invoke`), or learns that the operation
    /// took effect (`:ok`), that it did not (`:fail`), or that the outcome is unknown (`:info`). An
    /// operation with an unknown outcome never returned: it takes effect at any time after its
    /// call, or never. A `cas` that failed with its two values is a read that did not find the
    /// first one. Stamps are line numbers. The reader ignores the lines of `:nemesis`, which
    /// injects faults.
    case jepsen
    /// The log of porcupine's key-value test, for `DictionaryModel(initialValue: "")`: `get`, `put`
    /// and `append`, such as `{:process 0, :type :ok, :f :get, :key "x", :value "y"}`.
    ///
    /// Events are as in ``jepsen``. The value of a key without a `put` is the empty string.
    case porcupine
  }

  /// Returns the format of a file: `jepsen` if the first nonempty line begins with `INFO`,
  /// `porcupine` if it begins with `{` and `:`, and `jsonLines` otherwise.
  ///
  /// - Parameter bytes: The contents of the file.
  public static func format(of bytes: [UInt8]) -> Format {
    guard let first = NumberedLine.lines(of: bytes).first else { return .jsonLines }
    var scanner = LineScanner(first.text)
    if scanner.skip("INFO") { return .jepsen }
    return scanner.skip("{") && scanner.skip(":") ? .porcupine : .jsonLines
  }

  /// Returns the history in a file.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file, in UTF-8.
  ///   - model: The model whose operations the file contains.
  ///   - format: The format of the file.
  /// - Throws: An error at the first place where the file is malformed or does not fit the model.
  ///   If there is none, an error at the first call of a worker whose previous operation had not
  ///   returned.
  /// - Complexity: O(*n*) for *n* bytes, and O(*m* log *m*) for *m* operations.
  public static func history<Model: RecordedModel>(
    in bytes: [UInt8], of model: Model, format: Format = .jsonLines
  ) throws(HistoryFileError) -> History<Model.Input, Model.Output> {
    var builder = HistoryBuilder(model)
    let lines = NumberedLine.lines(of: bytes)
    switch format {
    case .jsonLines:
      for line in lines {
        var scanner = RecordScanner(line.text)
        do {
          try builder.add(try scanner.record(), from: line, at: scanner.positions)
        } catch {
          throw line.error(error)
        }
      }
    case .jepsen, .porcupine:
      var log = EventLog()
      for line in lines { try log.add(line, in: format) }
      for entry in log.entries where !entry.failed {
        do {
          try builder.add(entry.record, from: entry.line, at: entry.positions)
        } catch {
          throw entry.line.error(error)
        }
      }
    }
    return try builder.history()
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
  ) -> HistoryRecord {
    let call = model.call(for: operation.input)
    return HistoryRecord(
      worker: operation.worker, call: operation.call, return: operation.return,
      operation: call.operation, key: call.key, arguments: call.arguments,
      result: operation.output.map(model.result) ?? .null)
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

// MARK: Reading

/// A nonempty line of a file, and its number.
struct NumberedLine {
  /// The number, from 1.
  let number: Int
  let text: ArraySlice<UInt8>

  /// Splits a file at LF or CR LF, and drops a leading byte order mark and empty lines.
  static func lines(of bytes: [UInt8]) -> [NumberedLine] {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, line in
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      let isEmpty = line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      return isEmpty ? nil : NumberedLine(number: index + 1, text: line)
    }
  }

  /// Returns the column of a position in `text`, in characters.
  func column(of position: Int) -> Int {
    String(decoding: text[..<position], as: UTF8.self).count + 1
  }

  func error(_ failure: LineScanner.Failure) -> HistoryFileError {
    HistoryFileError(
      line: number, column: column(of: failure.position), expected: failure.expected,
      found: failure.found)
  }
}

/// Builds a history from the records of a file.
struct HistoryBuilder<Model: RecordedModel> {
  typealias Field = HistoryRecord.Field

  private let model: Model
  private var operations: [Operation<Model.Input, Model.Output>] = []
  /// The places of the calls.
  private var places: [(line: Int, column: Int)] = []

  init(_ model: Model) {
    self.model = model
  }

  /// Adds the operation of a record.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - line: The line that it comes from.
  ///   - positions: The positions of fields in the line. A field without a position counts as being
  ///     at the beginning of the line.
  /// - Throws: The first field that does not fit the model.
  mutating func add(
    _ record: HistoryRecord, from line: NumberedLine, at positions: [Field: Int]
  ) throws(LineScanner.Failure) {
    func position(of field: Field) -> Int { positions[field] ?? line.text.startIndex }
    do {
      try Self.checkSignature(of: record)
      let input = try model.input(of: record)
      let output = record.return == nil ? nil : try model.output(of: record, to: input)
      operations.append(
        Operation(
          worker: record.worker, call: record.call, return: record.return, input: input,
          output: output))
      places.append((line.number, line.column(of: position(of: .call))))
    } catch {
      throw LineScanner.Failure(
        position: position(of: error.field), expected: error.expected, found: error.found)
    }
  }

  /// Returns the history.
  ///
  /// - Throws: An error if there is no operation, or if a worker calls an operation before its
  ///   previous one has returned.
  func history() throws(HistoryFileError) -> History<Model.Input, Model.Output> {
    guard !operations.isEmpty else {
      throw HistoryFileError(line: 1, column: 1, expected: "an operation", found: "none")
    }
    try checkWorkers()
    return History(operations)
  }

  private static func checkSignature(of record: HistoryRecord) throws(FieldMismatch) {
    guard let signature = Model.signatures.first(where: { $0.name == record.operation }) else {
      let names = Model.signatures.map(\.name).joined(separator: ", ")
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

  /// Throws if an operation of a worker begins before the worker's previous one has returned. This
  /// happens if two threads have the same number, or if stamps come from different clocks. A
  /// verdict on such a history would be meaningless.
  private func checkWorkers() throws(HistoryFileError) {
    // If two calls have the same stamp, the one that returns first comes first.
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
}

/// Reads one line of JSON Lines. Checks that it has each field once, with the right type.
struct RecordScanner {
  typealias Field = HistoryRecord.Field

  private var scanner: LineScanner
  private let start: Int
  private var values: [Field: RecordedValue] = [:]
  /// The positions of the fields' values.
  private(set) var positions: [Field: Int] = [:]

  init(_ line: ArraySlice<UInt8>) {
    scanner = LineScanner(line)
    start = line.startIndex
  }

  mutating func record() throws(LineScanner.Failure) -> HistoryRecord {
    try readFields()
    for field in Field.allCases where field != .key && values[field] == nil {
      throw LineScanner.Failure(
        position: start, expected: "the field '\(field.rawValue)'", found: "none")
    }
    guard let worker = values[.worker]?.asNumber, worker <= UInt64(Int32.max) else {
      throw failure(.worker, "a whole number from 0 to \(Int32.max)")
    }
    guard let call = values[.call]?.asNumber else { throw failure(.call, "a whole number") }
    let end = try optional(.return, "a whole number", \.asNumber)
    if let end, end < call { throw failure(.return, "a stamp of at least \(call), the call") }
    guard let operation = values[.operation]?.asString else {
      throw failure(.operation, "a string")
    }
    let key = try optional(.key, "a string", \.asString)
    guard let arguments = values[.arguments]?.asList else { throw failure(.arguments, "a list") }
    let result = values[.result] ?? .null
    if end == nil, result != .null {
      throw failure(.result, "null, as for every operation that never returned")
    }
    return HistoryRecord(
      worker: Int(worker), call: call, return: end, operation: operation, key: key,
      arguments: arguments, result: result)
  }

  private mutating func readFields() throws(LineScanner.Failure) {
    try scanner.expect("{", "'{'")
    repeat {
      let field = try field()
      try scanner.expect(":", "':'")
      _ = scanner.next
      positions[field] = scanner.position
      values[field] = try scanner.value()
    } while scanner.skip(UInt8(ascii: ","))
    try scanner.expect("}", "',' or '}'")
    try scanner.expectEnd()
  }

  private mutating func field() throws(LineScanner.Failure) -> Field {
    guard scanner.next == UInt8(ascii: "\"") else {
      throw scanner.failure("the name of a field")
    }
    let position = scanner.position
    let name = try scanner.string()
    guard let field = Field(rawValue: name) else {
      let names = Field.allCases.map(\.rawValue).joined(separator: ", ")
      throw LineScanner.Failure(
        position: position, expected: "one of \(names)", found: name.jsonQuoted)
    }
    guard values[field] == nil else {
      throw LineScanner.Failure(
        position: position, expected: "each field once", found: "a second '\(name)'")
    }
    return field
  }

  /// Returns a field's value of one kind, or `nil` if it is null or absent.
  private func optional<T>(
    _ field: Field, _ kind: String, _ convert: (RecordedValue) -> T?
  ) throws(LineScanner.Failure) -> T? {
    guard let value = values[field], value != .null else { return nil }
    guard let converted = convert(value) else { throw failure(field, "\(kind) or null") }
    return converted
  }

  private func failure(
    _ field: Field, _ expected: String
  ) -> LineScanner.Failure {
    LineScanner.Failure(
      position: positions[field] ?? start, expected: expected,
      found: values[field]?.description ?? "nothing")
  }
}
