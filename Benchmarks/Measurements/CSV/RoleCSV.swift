/// The figures of each role in each trial as CSV, in a file beside that of the trials.
///
/// One row for each trial and role, by the rules of `MeasurementCSV`; `row` identifies the trial.
public enum RoleCSV {
  /// The names of the columns, in the order of the file.
  public static var columnNames: [String] { columns.map(\.name) }

  /// The first line of a file, without its line end.
  public static var header: String { columnNames.joined(separator: ",") }

  /// Returns the rows of one trial, each with its line end; empty if the workers have no roles.
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
