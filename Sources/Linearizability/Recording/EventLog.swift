// The logs of Jepsen's etcd test and of porcupine's key-value test. Each line is an event: a
// process calls an operation, or learns its outcome.
//
//     INFO  jepsen.util - 3 :invoke :cas [1 2]
//     {:process 3, :type :invoke, :f :put, :key "x", :value "y"}
//
// Both contain the same five fields in different notations. A process has at most one open
// operation, which an `:info` line leaves open. Each operation becomes a record with the operation
// names of `RegisterModel` or `DictionaryModel`, and with its line numbers as stamps.

/// An event: a line of a log.
struct LoggedEvent {
  enum Field: String, CaseIterable {
    case process, type, f, key, value
  }

  enum Kind: String, CaseIterable {
    /// The call.
    case invoke
    /// The operation took effect.
    case ok
    /// The operation did not take effect.
    case fail
    /// The operation may have taken effect, or may still do so.
    case info
  }

  enum Function: String, CaseIterable {
    case read, write, cas
    case get, put, append
  }

  /// A value of a field.
  enum Value: Equatable {
    case null
    case number(UInt64)
    case string(String)
    /// A keyword, such as `:timed-out`, without its colon.
    case keyword(String)
    case pair(UInt64, UInt64)
  }

  let process: Int
  let kind: Kind
  let function: Function
  let key: String?
  let value: Value
  /// The position of the line.
  let start: Int
  /// The positions of the fields' values.
  let positions: [Field: Int]

  /// The position of a field's value, or of the line if the field is absent.
  func position(of field: Field) -> Int { positions[field] ?? start }
}

/// The operations of a log.
struct EventLog {
  /// An operation and the line of its call.
  struct Entry {
    var record: HistoryRecord
    var line: NumberedLine
    var positions: [HistoryRecord.Field: Int]
    fileprivate var call: LoggedEvent
    fileprivate var hasEnded = false
    /// Whether the operation certainly did not take effect.
    var failed = false
  }

  /// The operations in the order of their calls.
  private(set) var entries: [Entry] = []
  /// The index of each process's last operation.
  private var latest: [Int: Int] = [:]

  /// Adds the event in a line.
  ///
  /// - Throws: An error if the line is malformed or does not fit the earlier lines.
  mutating func add(_ line: NumberedLine, in format: HistoryFile.Format) throws(HistoryFileError) {
    do {
      var scanner = EventScanner(line.text)
      guard let event = try scanner.event(in: format) else { return }
      if event.kind == .invoke { try begin(event, line) } else { try end(event, line) }
    } catch {
      throw line.error(error)
    }
  }

  private mutating func begin(
    _ event: LoggedEvent, _ line: NumberedLine
  ) throws(LineScanner.Failure) {
    if let index = latest[event.process], !entries[index].hasEnded {
      throw event.failure(
        .process,
        "a process without an open operation; the one of line \(entries[index].line.number) has "
          + "no end", "\(event.process)")
    }
    latest[event.process] = entries.count
    let record = HistoryRecord(
      worker: event.process, call: UInt64(line.number), return: nil,
      operation: event.function.name, key: event.key, arguments: event.value.arguments,
      result: .null)
    entries.append(
      Entry(
        record: record, line: line,
        positions: [.operation: event.position(of: .f), .call: event.position(of: .process)],
        call: event))
  }

  private mutating func end(
    _ event: LoggedEvent, _ line: NumberedLine
  ) throws(LineScanner.Failure) {
    guard let index = latest[event.process], !entries[index].hasEnded else {
      throw event.failure(
        .type, "an :invoke of process \(event.process) first", ":\(event.kind.rawValue)")
    }
    let call = entries[index].call
    let place = "as in line \(entries[index].line.number)"
    guard event.function == call.function else {
      throw event.failure(
        .f, ":\(call.function.rawValue), \(place)", ":\(event.function.rawValue)")
    }
    guard event.key == call.key else {
      throw event.failure(
        .key, "\(call.key?.jsonQuoted ?? "no key"), \(place)", event.key?.jsonQuoted ?? "none")
    }
    // An outcome repeats the value of the call, or has a value if the call has none. An outcome
    // other than a success may have a reason instead.
    guard event.value == call.value || call.value == .null || event.kind != .ok && event.hasReason
    else {
      throw event.failure(.value, "\(call.value), \(place)", "\(event.value)")
    }
    switch event.kind {
    case .ok: end(index, at: line, with: event.result)
    case .fail where event.function == .cas && !event.hasReason:
      end(index, at: line, with: event.result)
    case .fail:
      entries[index].failed = true
      entries[index].hasEnded = true
    case .info, .invoke: break
    }
  }

  private mutating func end(_ index: Int, at line: NumberedLine, with result: RecordedValue) {
    entries[index].record.return = UInt64(line.number)
    entries[index].record.result = result
    entries[index].hasEnded = true
  }
}

extension LoggedEvent {
  /// The result that an outcome reports.
  fileprivate var result: RecordedValue {
    switch function {
    case .read, .get: value.arguments.first ?? .null
    case .cas: .bool(kind == .ok)
    case .write, .put, .append: .null
    }
  }

  /// Whether the event has no value, or the reason of a failure instead of one.
  fileprivate var hasReason: Bool {
    switch value {
    case .null, .keyword: true
    case .number, .string, .pair: false
    }
  }

  fileprivate func failure(
    _ field: Field, _ expected: String, _ found: String
  ) -> LineScanner.Failure {
    LineScanner.Failure(position: position(of: field), expected: expected, found: found)
  }
}

extension LoggedEvent.Function {
  /// The functions that a log of the format contains.
  fileprivate static func all(in format: HistoryFile.Format) -> [LoggedEvent.Function] {
    format == .jepsen ? [.read, .write, .cas] : [.get, .put, .append]
  }

  /// The name of the operation in a model.
  fileprivate var name: String {
    switch self {
    case .cas: "compare-and-set"
    case .put: "set"
    case .read, .write, .get, .append: rawValue
    }
  }
}

extension LoggedEvent.Value {
  /// The value as arguments of an operation.
  fileprivate var arguments: [RecordedValue] {
    switch self {
    case .null, .keyword: []
    case .number(let number): [.string("\(number)")]
    case .string(let string): [.string(string)]
    case .pair(let first, let second): [.string("\(first)"), .string("\(second)")]
    }
  }
}

extension LoggedEvent.Value: CustomStringConvertible {
  /// The value as in a log.
  var description: String {
    switch self {
    case .null: "nil"
    case .number(let number): "\(number)"
    case .string(let string): string.jsonQuoted
    case .keyword(let name): ":\(name)"
    case .pair(let first, let second): "[\(first) \(second)]"
    }
  }
}

// MARK: Scanning a line

/// Reads one line of a log and checks that each field has a value of the right type.
private struct EventScanner {
  private typealias Field = LoggedEvent.Field
  private typealias Value = LoggedEvent.Value

  private var scanner: LineScanner
  private let start: Int
  private var values: [Field: Value] = [:]
  private var positions: [Field: Int] = [:]

  init(_ line: ArraySlice<UInt8>) {
    scanner = LineScanner(line)
    start = line.startIndex
  }

  /// Returns the event; `nil` for a line that is not the event of a process.
  mutating func event(
    in format: HistoryFile.Format
  ) throws(LineScanner.Failure) -> LoggedEvent? {
    if format == .jepsen { try readWords() } else { try readFields() }
    if values[.process] == .keyword("nemesis") { return nil }
    guard case .number(let process) = values[.process] ?? .null, process <= UInt64(Int32.max) else {
      throw failure(.process, "a process, which is a whole number from 0 to \(Int32.max)")
    }
    let kind = try keyword(.type, among: LoggedEvent.Kind.allCases)
    let function = try keyword(.f, among: LoggedEvent.Function.all(in: format))
    try checkValue(of: function, kind)
    return LoggedEvent(
      process: Int(process), kind: kind, function: function, key: try key(in: format),
      value: values[.value] ?? .null, start: start, positions: positions)
  }

  /// Reads the fields of Jepsen's form, which have a fixed order.
  private mutating func readWords() throws(LineScanner.Failure) {
    guard scanner.skip("INFO"), scanner.skip("jepsen.util"), scanner.skip("-") else {
      throw scanner.failure("'INFO  jepsen.util - ' and an event")
    }
    try read(.process)
    // The nemesis injects faults; its lines have another form.
    if values[.process] == .keyword("nemesis") { return }
    for field in [Field.type, .f, .value] { try read(field) }
    try scanner.expectEnd()
  }

  /// Reads the fields of porcupine's form, a map in Clojure's notation.
  private mutating func readFields() throws(LineScanner.Failure) {
    try scanner.expect("{", "'{'")
    while !scanner.skip("}") {
      let position = scanner.position
      guard scanner.next == UInt8(ascii: ":") else {
        throw scanner.failure("a field, such as :process, or '}'")
      }
      let name = try scanner.keyword()
      guard let field = Field(rawValue: name) else {
        throw LineScanner.Failure(
          position: position, expected: "one of \(Self.list(Field.allCases))", found: ":\(name)")
      }
      guard values[field] == nil else {
        throw LineScanner.Failure(
          position: position, expected: "each field once", found: "a second :\(name)")
      }
      try read(field)
      _ = scanner.skip(UInt8(ascii: ","))
    }
    try scanner.expectEnd()
  }

  private mutating func read(_ field: Field) throws(LineScanner.Failure) {
    _ = scanner.next
    positions[field] = scanner.position
    values[field] = try scanner.loggedValue()
  }

  private func keyword<Word: RawRepresentable<String>>(
    _ field: Field, among words: [Word]
  ) throws(LineScanner.Failure) -> Word {
    if case .keyword(let name) = values[field] ?? .null,
      let word = words.first(where: { $0.rawValue == name })
    {
      return word
    }
    throw failure(field, "one of \(Self.list(words))")
  }

  private func key(in format: HistoryFile.Format) throws(LineScanner.Failure) -> String? {
    guard format != .jepsen else { return nil }
    guard case .string(let key) = values[.key] ?? .null else {
      throw failure(.key, "a key, which is a string")
    }
    return key
  }

  /// Checks the value of a call or of a success. Other events may have a reason instead.
  private func checkValue(
    of function: LoggedEvent.Function, _ kind: LoggedEvent.Kind
  ) throws(LineScanner.Failure) {
    guard kind == .invoke || kind == .ok else { return }
    switch (function, kind, values[.value] ?? .null) {
    case (.read, .invoke, .null), (.read, .ok, .null), (.read, .ok, .number),
      (.write, _, .number), (.cas, _, .pair),
      (.get, .invoke, .null), (.get, .ok, .string), (.put, _, .string), (.append, _, .string):
      return
    case (.read, .invoke, _), (.get, .invoke, _): throw failure(.value, "nil")
    case (.read, _, _): throw failure(.value, "nil or a number")
    case (.write, _, _): throw failure(.value, "a number")
    case (.cas, _, _): throw failure(.value, "two numbers, such as [1 2]")
    case (.get, _, _), (.put, _, _), (.append, _, _): throw failure(.value, "a string")
    }
  }

  private static func list<Word: RawRepresentable<String>>(_ words: [Word]) -> String {
    words.map { ":\($0.rawValue)" }.joined(separator: ", ")
  }

  private func failure(_ field: Field, _ expected: String) -> LineScanner.Failure {
    LineScanner.Failure(
      position: positions[field] ?? start, expected: expected,
      found: values[field].map { "\($0)" } ?? "no :\(field.rawValue)")
  }
}

extension LineScanner {
  /// Reads a keyword, such as `:timed-out`; returns its name.
  fileprivate mutating func keyword() throws(Failure) -> String {
    try expect(":", "':'")
    let name = word { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "-")
    }
    guard !name.isEmpty else { throw failure("a name after ':'") }
    return name
  }

  fileprivate mutating func loggedValue() throws(Failure) -> LoggedEvent.Value {
    switch next.map(Unicode.Scalar.init) {
    case "\"": return .string(try string())
    case ":": return .keyword(try keyword())
    case "[":
      try expect("[", "'['")
      _ = next
      let first = try number()
      _ = next
      let second = try number()
      try expect("]", "']'")
      return .pair(first, second)
    case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-": return .number(try number())
    default:
      guard skip("nil") else { throw failure("a value, such as nil, 1, [1 2], \"x\" or :ok") }
      return .null
    }
  }
}
