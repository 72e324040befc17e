/// Measurements as CSV by RFC 4180: a header, one row for each trial, and a line for each session.
///
/// Lines are written with LF, as Unix tools expect, and read with any line end. An empty field
/// means that the value was not measured. A number is read as exactly the value that was written.
///
/// The facts of a session, such as its machine, are in a separate line before the session's first
/// row; see `SessionLine`. The header has only the columns that the rows can fill; see `Part`. In
/// files of earlier versions, every fact and every part has columns.
public enum MeasurementCSV {
  /// The version of the columns' meanings. It rises only when a meaning changes.
  public static let schema = 1

  /// A part of a row. A file has no columns for a part that its run cannot measure.
  package enum Part: String, CaseIterable, Sendable {
    /// The keys of dictionaries.
    case keys
    /// The workers' roles.
    case roles
    /// The latency and the fairness of closed loops.
    case closedLoop = "closed-loop"
    /// The schedule and the times of open loops.
    case openLoop = "open-loop"
    /// The operating system's figures for workers that have threads of their own.
    case ownThreads = "own-threads"
    /// The work of reclamation by epochs.
    case epochs
    /// The bytes that the allocator counted.
    case bytes
    /// The processor's counters.
    case counters

    /// The kind of run whose files have the part, for `docs/csv.md`.
    var condition: String {
      switch self {
      case .keys: "dictionaries"
      case .roles: "workers with `--roles`"
      case .closedLoop: "closed loops"
      case .openLoop: "open loops; without the part, all loops are closed"
      case .ownThreads: "the driver `threads`"
      case .epochs: "the backends `lock-free` and `bucket-lock`"
      case .bytes: "closed loops in a build with jemalloc"
      case .counters: "closed loops with the driver `threads`, on a host that has the counters"
      }
    }
  }

  /// The names of all columns, in the order in which they are written.
  public static var columnNames: [String] { columns.map(\.name) }

  /// Returns a whole file, without the columns of parts that no row has.
  ///
  /// - Precondition: `invalidColumn(in:)` is `nil` for every row.
  public static func text(of measurements: [Measurement]) -> String {
    var writer = MeasurementWriter(of: measurements)
    return measurements.reduce(into: writer.header) { $0 += writer.lines(for: $1) }
  }

  /// Returns the first column whose value is not allowed, or `nil` if there is none.
  ///
  /// Values that are not allowed are a negative or infinite number, a seed of 2⁵³ or more, an empty
  /// text, and a text that a spreadsheet would take for a number, such as `6.3`.
  public static func invalidColumn(in measurement: Measurement) -> String? {
    columns.first { !$0.isWritable(measurement) }?.name
  }

  /// Returns a text as one field, in quotation marks if it needs them.
  public static func field(_ text: String) -> String {
    // Spaces at either end are part of a field, but some readers drop them. Some readers take a
    // number sign for the start of a comment.
    let isPlain =
      !text.utf8.contains { [0x22, 0x23, 0x2C, 0x0A, 0x0D].contains($0) }
      && text.first != " " && text.last != " "
    guard !isPlain else { return text }
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"\(parts.joined(separator: "\"\""))\""
  }

  /// Returns the text of one column of a row, or `nil` if there is no such column.
  public static func text(ofColumn name: String, in measurement: Measurement) -> String? {
    columns.first { $0.name == name }?.text(measurement)
  }

  /// Returns the names of the columns in the header of a file, known or not. Columns that earlier
  /// versions named differently have the names of this version.
  public static func columnNames(in text: String) throws(ResultsError) -> [String] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    return names(in: header)
  }

  /// The names of columns that earlier versions named differently, each with the name in this
  /// version.
  static let earlierNames = ["fork": "session", "size": "entries"]

  /// Returns the names of the columns, as this version names them.
  private static func names(in header: CSVRecord) -> [String] {
    header.fields.map { earlierNames[$0.text] ?? $0.text }
  }

  /// Returns whether all facts of sessions have columns, as in files of earlier versions.
  private static func hasFactColumns(_ header: [String]) -> Bool { header.contains("schema") }

  /// Returns the facts that are in the lines of sessions, because the file has no columns for them.
  static func sessionFacts(ofHeader header: [String]) -> [Column<Measurement>] {
    hasFactColumns(header) ? [] : factColumns.filter { !header.contains($0.name) }
  }

  /// Returns the columns that a file with the header can have, in the order of the table.
  static func columns(ofHeader header: [String]) -> [Column<Measurement>] {
    hasFactColumns(header) ? columns : factColumns.filter { header.contains($0.name) } + rowColumns
  }

  /// Throws an error if `field` is the schema of a later version.
  static func check(schema field: CSVRecord.Field) throws(ResultsError) {
    guard let found = Int(field.text), found > schema else { return }
    throw .unsupportedSchema(found: found, line: field.line, newestKnown: schema)
  }

  /// Returns all rows of a file, or throws the first error if the file is damaged.
  ///
  /// Columns are found by name, in any order. Unknown columns are ignored, and columns that may be
  /// empty may be missing, so that files of every version can be read.
  public static func measurements(in text: String) throws(ResultsError) -> [Measurement] {
    var parser = CSVParser(text)
    guard let header = try parser.next().map(names) else { throw .empty }
    let reader = try RowReader(columns(ofHeader: header), header: header)
    var sessions = hasFactColumns(header) ? nil : SessionReader(header: header)
    var measurements: [Measurement] = []
    var rows: Set<String> = []
    while true {
      if sessions != nil, let line = parser.nextComment() {
        try sessions?.read(line)
        continue
      }
      guard let record = try parser.next() else { return measurements }
      var measurement = try reader.row(in: record)
      try sessions?.complete(&measurement, line: record.line)
      guard rows.insert(measurement.identity.row).inserted else {
        throw .duplicateRow(measurement.identity.row, line: record.line)
      }
      measurements.append(measurement)
    }
  }
}

extension Measurement: CSVRow {
  static let unread = Measurement(
    identity: Identity(row: "", kind: .subject, run: "", timestamp: ""),
    environment: Environment(
      machine: "", cores: 0, swift: "", allocator: "", buildConfiguration: ""),
    configuration: Configuration(
      collection: "", backend: "", workload: "",
      shares: Shares(read: 0, insert: 0, update: 0, remove: 0, iterate: 0), driver: "",
      threads: 0, entries: 0),
    trial: Trial(seed: 0, number: 0, requestedSeconds: 0),
    throughput: Throughput(
      seconds: 0, operations: 0, nanosecondsPerOperation: 0, operationsPerSecond: 0))
}
