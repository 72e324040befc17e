/// The figures of each role in each trial as CSV, in a file beside the trials' own.
///
/// One row for each trial and role, by the rules of `MeasurementCSV`; `row` says which trial's it is.
public enum RoleCSV {
  static let columns: [Column<RoleRow>] = closedLoopColumns + openLoopColumns + byteColumns

  private static let closedLoopColumns: [Column<RoleRow>] = [
    Column("row", \.row, .text),
    Column("role", \.role.name, .text),
    Column("workers", \.role.workers, .positive),
    Column("operations", \.role.operations, .count),
    Column("ns_per_op", \.role.nanosecondsPerOperation, orNil: .amount),
    Column("ops_per_second", \.role.operationsPerSecond, .amount),
    Column("latency_samples", \.role.latency.samples, orNil: .count),
    Column("clock_ns", \.role.latency.clockNanoseconds, orNil: .amount),
    Column("p50_ns", \.role.latency.p50Nanoseconds, orNil: .amount),
    Column("p90_ns", \.role.latency.p90Nanoseconds, orNil: .amount),
    Column("p99_ns", \.role.latency.p99Nanoseconds, orNil: .amount),
    Column("p999_ns", \.role.latency.p999Nanoseconds, orNil: .amount),
    Column("max_ns", \.role.latency.maxNanoseconds, orNil: .amount),
    Column("jain_index", \.role.jainIndex, orNil: .amount),
    Column("max_to_min_operations", \.role.maxToMinOperations, orNil: .amount),
  ]

  private static let openLoopColumns: [Column<RoleRow>] = [
    Column("service_p50_ns", \.role.openLoop.service.p50Nanoseconds, orNil: .amount),
    Column("service_p90_ns", \.role.openLoop.service.p90Nanoseconds, orNil: .amount),
    Column("service_p99_ns", \.role.openLoop.service.p99Nanoseconds, orNil: .amount),
    Column("service_p999_ns", \.role.openLoop.service.p999Nanoseconds, orNil: .amount),
    Column("service_p9999_ns", \.role.openLoop.service.p9999Nanoseconds, orNil: .amount),
    Column("service_max_ns", \.role.openLoop.service.maxNanoseconds, orNil: .amount),
    Column("intended_p50_ns", \.role.openLoop.intended.p50Nanoseconds, orNil: .amount),
    Column("intended_p90_ns", \.role.openLoop.intended.p90Nanoseconds, orNil: .amount),
    Column("intended_p99_ns", \.role.openLoop.intended.p99Nanoseconds, orNil: .amount),
    Column("intended_p999_ns", \.role.openLoop.intended.p999Nanoseconds, orNil: .amount),
    Column("intended_p9999_ns", \.role.openLoop.intended.p9999Nanoseconds, orNil: .amount),
    Column("intended_max_ns", \.role.openLoop.intended.maxNanoseconds, orNil: .amount),
    Column("backlog_operations", \.role.openLoop.backlog, orNil: .count),
  ]

  private static let byteColumns: [Column<RoleRow>] = [
    Column("allocated_bytes_per_op", \.role.allocatedBytesPerOperation, orNil: .amount),
    Column("freed_bytes_per_op", \.role.freedBytesPerOperation, orNil: .amount),
  ]

  public static var columnNames: [String] { columns.map(\.name) }

  /// The first line of a file, without its line end.
  public static var header: String { columnNames.joined(separator: ",") }

  /// The rows of one trial, each with its line end; nothing where workers have no roles.
  public static func lines(for measurement: Measurement) -> String {
    rows(of: measurement).map { row in
      columns.map { MeasurementCSV.field($0.text(row)) }.joined(separator: ",") + "\n"
    }.joined()
  }

  /// The first column whose value is not allowed, as in `MeasurementCSV`.
  public static func invalidColumn(in measurement: Measurement) -> String? {
    let rows = rows(of: measurement)
    return columns.first { column in !rows.allSatisfy(column.isWritable) }?.name
  }

  /// The roles of each trial in a file, by the trial's row.
  public static func roles(in text: String) throws(ResultsError) -> [String: [Measurement.Role]] {
    var parser = CSVParser(text)
    guard let header = try parser.next() else { throw .empty }
    let reader = try RowReader(columns, header: header.fields.map(\.text), into: .unread)
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

  private static func rows(of measurement: Measurement) -> [RoleRow] {
    measurement.roles.map { RoleRow(row: measurement.identity.row, role: $0) }
  }
}

/// A row of the roles' file: one role in one trial. `row` is the trial's.
struct RoleRow: Hashable, Sendable {
  var row: String
  var role: Measurement.Role

  static let unread = RoleRow(
    row: "",
    role: Measurement.Role(name: "", workers: 0, operations: 0, operationsPerSecond: 0))
}
