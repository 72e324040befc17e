/// The figures of each role in each trial as CSV, in a separate file beside the file of the trials.
///
/// The file has one row for each trial and role, by the rules of `MeasurementCSV`. The column `row`
/// identifies the trial.
public enum RoleCSV {
  /// The names of all columns, in the order in which they are written.
  public static var columnNames: [String] { columns.map(\.name) }

  /// Returns a whole file, without the columns of parts that no role has.
  public static func text(of measurements: [Measurement]) -> String {
    let rows = measurements.flatMap(\.roleRows)
    let writer = RowWriter(columns, of: rows)
    return writer.header + rows.map(writer.line).joined()
  }

  /// Returns the roles of each trial in a file, by the identifier of the trial's row.
  public static func roles(in text: String) throws(ResultsError) -> [String: [Measurement.Role]] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    let reader = try RowReader(columns, header: header.fields.map(\.text))
    var roles: [String: [Measurement.Role]] = [:]
    while let record = try parser.next() {
      let row = try reader.row(in: record)
      guard !roles[row.row, default: []].contains(where: { $0.name == row.role.name }) else {
        throw .duplicateRow("\(row.row) \(row.role.name)", line: record.line)
      }
      roles[row.row, default: []].append(row.role)
    }
    return roles
  }
}

/// A writer of a file of roles.
package struct RoleWriter: ResultsWriter {
  private let rows: RowWriter<RoleRow>

  package init(parts: Set<MeasurementCSV.Part>) {
    rows = RowWriter(RoleCSV.columns, parts: parts)
  }

  package init(parts: Set<MeasurementCSV.Part>, continuing file: String) throws(ResultsError) {
    rows = try RowWriter(
      RoleCSV.columns, parts: parts, continuing: MeasurementCSV.columnNames(in: file))
  }

  package var header: String { rows.header }

  package func lines(for measurement: Measurement) -> String {
    measurement.roleRows.map(rows.line).joined()
  }

  package func invalidColumn(in measurement: Measurement) -> String? {
    measurement.roleRows.lazy.compactMap(rows.invalidColumn).first
  }
}

extension Measurement {
  fileprivate var roleRows: [RoleRow] { roles.map { RoleRow(row: identity.row, role: $0) } }
}

/// A row of a file of roles: one role in one trial. `row` is the identifier of the trial's row.
struct RoleRow: CSVRow, Hashable {
  var row: String
  var role: Measurement.Role

  static let unread = RoleRow(
    row: "",
    role: Measurement.Role(name: "", workers: 0, operations: 0, operationsPerSecond: 0))
}

extension RoleCSV {
  /// Every column, in the order in which they are written, each with its documentation for
  /// `docs/csv.md`.
  static let columns: [Column<RoleRow>] = [
    throughputColumns, closedLoopColumns.of(.closedLoop), openLoopColumns.of(.openLoop),
    byteColumns.of(.bytes),
  ].flatMap { $0 }

  private static let throughputColumns: [Column<RoleRow>] = [
    Column("row", \.row, .text, "The trial's `row`."),
    Column("role", \.role.name, .text, "Name of the role."),
    Column("workers", \.role.workers, .positive, "Number of workers of the role."),
    Column(
      "operations", \.role.operations, .count,
      "Operations of the role's workers in the trial's window."),
    Column(
      "ns_per_op", \.role.nanosecondsPerOperation, orNil: .amount, unit: "ns",
      "Time per operation as one worker of the role sees it: `seconds` × `workers` ÷ `operations`.",
      empty: "if the role did nothing"),
    Column(
      "ops_per_second", \.role.operationsPerSecond, .amount, unit: "1/s",
      "Operations per second of all workers of the role together."),
    Column(
      "latency_samples", \.role.latency.samples, orNil: .count,
      "Number of operations of the role that were timed one by one.", empty: WhenEmpty.unknown),
    Column(
      "clock_ns", \.role.latency.clockNanoseconds, orNil: .amount, unit: "ns",
      "Cost of reading the clock, which every latency includes.", empty: WhenEmpty.unknown),
  ]

  private static let closedLoopColumns: [Column<RoleRow>] = [
    Column(
      "p50_ns", \.role.latency.p50Nanoseconds, orNil: .amount, unit: "ns",
      "Median latency of the role's samples.", empty: WhenEmpty.tooFewSamples),
    Column(
      "p90_ns", \.role.latency.p90Nanoseconds, orNil: .amount, unit: "ns",
      "90th percentile of the sampled latencies.", empty: WhenEmpty.tooFewSamples),
    Column(
      "p99_ns", \.role.latency.p99Nanoseconds, orNil: .amount, unit: "ns",
      "99th percentile of the sampled latencies.", empty: WhenEmpty.tooFewSamples),
    Column(
      "p999_ns", \.role.latency.p999Nanoseconds, orNil: .amount, unit: "ns",
      "99.9th percentile of the sampled latencies.", empty: WhenEmpty.tooFewSamples),
    Column(
      "max_ns", \.role.latency.maxNanoseconds, orNil: .amount, unit: "ns",
      "Maximum of the sampled latencies.", empty: WhenEmpty.noSamples),
    Column(
      "jain_index", \.role.jainIndex, orNil: .amount,
      "Jain's fairness index of the operations of the role's workers.",
      empty: "in an open loop, and if the role did nothing"),
    Column(
      "max_to_min_operations", \.role.maxToMinOperations, orNil: .amount,
      "Operations of the role's busiest worker, divided by those of its idlest.",
      empty: "in an open loop, and if a worker did none"),
  ]

  private static let openLoopColumns: [Column<RoleRow>] = [
    Column(
      "service_p50_ns", \.role.openLoop.service.p50Nanoseconds, orNil: .amount, unit: "ns",
      "Median time from the start of an operation of the role to its end.",
      empty: WhenEmpty.tooFewOperations),
    Column(
      "service_p90_ns", \.role.openLoop.service.p90Nanoseconds, orNil: .amount, unit: "ns",
      "90th percentile of the service times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "service_p99_ns", \.role.openLoop.service.p99Nanoseconds, orNil: .amount, unit: "ns",
      "99th percentile of the service times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "service_p999_ns", \.role.openLoop.service.p999Nanoseconds, orNil: .amount, unit: "ns",
      "99.9th percentile of the service times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "service_p9999_ns", \.role.openLoop.service.p9999Nanoseconds, orNil: .amount, unit: "ns",
      "99.99th percentile of the service times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "service_max_ns", \.role.openLoop.service.maxNanoseconds, orNil: .amount, unit: "ns",
      "Maximum of the service times.", empty: WhenEmpty.inClosedLoops),
    Column(
      "intended_p50_ns", \.role.openLoop.intended.p50Nanoseconds, orNil: .amount, unit: "ns",
      "Median time from when an operation of the role was due to its end.",
      empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_p90_ns", \.role.openLoop.intended.p90Nanoseconds, orNil: .amount, unit: "ns",
      "90th percentile of the intended times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_p99_ns", \.role.openLoop.intended.p99Nanoseconds, orNil: .amount, unit: "ns",
      "99th percentile of the intended times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_p999_ns", \.role.openLoop.intended.p999Nanoseconds, orNil: .amount, unit: "ns",
      "99.9th percentile of the intended times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_p9999_ns", \.role.openLoop.intended.p9999Nanoseconds, orNil: .amount, unit: "ns",
      "99.99th percentile of the intended times.", empty: WhenEmpty.tooFewOperations),
    Column(
      "intended_max_ns", \.role.openLoop.intended.maxNanoseconds, orNil: .amount, unit: "ns",
      "Maximum of the intended times.", empty: WhenEmpty.inClosedLoops),
    Column(
      "backlog_operations", \.role.openLoop.backlog, orNil: .count,
      "Operations of the role that were due and never started.",
      empty: WhenEmpty.inClosedLoops),
  ]

  private static let byteColumns: [Column<RoleRow>] = [
    Column(
      "allocated_bytes_per_op", \.role.allocatedBytesPerOperation, orNil: .amount, unit: "B",
      "Bytes that the threads of the role's workers allocated, per operation of the role.",
      empty: WhenEmpty.noBytesOfRole),
    Column(
      "freed_bytes_per_op", \.role.freedBytesPerOperation, orNil: .amount, unit: "B",
      "Bytes that these threads freed, no matter which thread allocated them, per operation of the role.",
      empty: WhenEmpty.noBytesOfRole),
  ]
}
