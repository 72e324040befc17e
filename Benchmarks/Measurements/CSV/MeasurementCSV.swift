/// Measurements as CSV by RFC 4180: a header, one row for each trial, and a line for each session.
///
/// Written with LF between lines, as Unix tools expect; read with any line end. An empty field was
/// not measured. Reading a number gives the same value back.
///
/// The facts of a session, such as its machine, stand in a line of their own before the session's
/// first row; see `SessionLine`. The header has only the columns that the rows can fill; see
/// `Part`. In files of earlier versions, every fact and every part has its columns.
public enum MeasurementCSV {
  /// The version of the columns' meanings. It rises only when one changes.
  public static let schema = 1

  /// A part of a row for which a file may have no columns, because nothing measured it.
  package enum Part: String, CaseIterable, Sendable {
    /// The keys of dictionaries.
    case keys
    /// The workers' roles.
    case roles
    /// The latency and the fairness of closed loops.
    case closedLoop = "closed-loop"
    /// The schedule and the times of open loops.
    case openLoop = "open-loop"
    /// The system's figures of the workers' own threads.
    case ownThreads = "own-threads"
    /// The work of reclamation by epochs.
    case epochs
    /// The bytes that the allocator counted.
    case bytes
    /// The processor's counters.
    case counters

    /// The runs whose files have the part, for `docs/csv.md`.
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

  /// A whole file, with the columns that at least one row fills.
  ///
  /// - Precondition: `invalidColumn(in:)` is `nil` for every row.
  public static func text(of measurements: [Measurement]) -> String {
    var writer = MeasurementWriter(of: measurements)
    return measurements.reduce(into: writer.header) { $0 += writer.lines(for: $1) }
  }

  /// The first column whose value is not allowed: a negative or infinite number, a seed of 2⁵³ or
  /// more, an empty text, or a text that a spreadsheet would take for a number, such as `6.3`.
  public static func invalidColumn(in measurement: Measurement) -> String? {
    columns.first { !$0.isWritable(measurement) }?.name
  }

  /// A text as one field, in quotation marks where it needs them.
  public static func field(_ text: String) -> String {
    // Spaces at either end are part of a field, but not every reader knows. Some readers take a
    // number sign for the start of a comment.
    let isPlain =
      !text.utf8.contains { [0x22, 0x23, 0x2C, 0x0A, 0x0D].contains($0) }
      && text.first != " " && text.last != " "
    guard !isPlain else { return text }
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"\(parts.joined(separator: "\"\""))\""
  }

  /// The text of one column of a row; `nil` if there is no such column.
  public static func text(ofColumn name: String, in measurement: Measurement) -> String? {
    columns.first { $0.name == name }?.text(measurement)
  }

  /// The names in the first line of a file, known or not.
  public static func columnNames(in text: String) throws(ResultsError) -> [String] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    return names(in: header)
  }

  /// The names of columns in files of earlier versions, with those of this version.
  static let earlierNames = ["fork": "session", "size": "entries"]

  /// The names of the columns, under those of this version.
  private static func names(in header: CSVRecord) -> [String] {
    header.fields.map { earlierNames[$0.text] ?? $0.text }
  }

  /// Whether all facts of sessions have columns, as in files of earlier versions.
  private static func hasFactColumns(_ header: [String]) -> Bool { header.contains("schema") }

  /// The facts that the file has no columns for, so that they are in the lines of sessions.
  static func sessionFacts(ofHeader header: [String]) -> [Column<Measurement>] {
    hasFactColumns(header) ? [] : factColumns.filter { !header.contains($0.name) }
  }

  /// The columns that the file can have, in the order of the table.
  static func columns(ofHeader header: [String]) -> [Column<Measurement>] {
    hasFactColumns(header) ? columns : factColumns.filter { header.contains($0.name) } + rowColumns
  }

  /// Throws for the schema of a later version.
  static func check(schema field: CSVRecord.Field) throws(ResultsError) {
    guard let found = Int(field.text), found > schema else { return }
    throw .unsupportedSchema(found: found, line: field.line, newestKnown: schema)
  }

  /// All rows of a file, or none and the error where it is damaged.
  ///
  /// Columns are found by name, in any order. Unknown ones are ignored, and those that may be empty
  /// may be missing, so that files of every version are read.
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
