import TerminalIO
import Foundation
import Measurements

/// A CSV file that `weakbench run` wrote.
package enum ResultsFile {
  /// Of the file of roles, which has the rows' name otherwise.
  package static let rolesEnding = ".roles.csv"

  /// Its rows; a damaged file is an error with line and column, and no rows.
  package static func rows(in path: String) throws(CommandError) -> [Measurement] {
    let text = try text(of: path)
    var rows: [Measurement]
    do {
      rows = try MeasurementCSV.measurements(in: text)
    } catch {
      throw CommandError(status: .badData, description: "\(path): \(error)")
    }
    let roles = try roles(beside: path)
    for index in rows.indices { rows[index].roles = roles[rows[index].identity.row] ?? [] }
    return rows
  }

  /// What each role did, by row; nothing where no trial of the file had roles.
  private static func roles(
    beside path: String
  ) throws(CommandError) -> [String: [Measurement.Role]] {
    let path = OutputDestination.path(beside: path, ending: ResultsFile.rolesEnding)
    guard FileManager.default.fileExists(atPath: path) else { return [:] }
    let text = try text(of: path)
    do {
      return try RoleCSV.roles(in: text)
    } catch {
      throw CommandError(status: .badData, description: "\(path): \(error)")
    }
  }

  /// The names in its first line, known or not.
  package static func columnNames(in path: String) throws(CommandError) -> [String] {
    let text = try text(of: path)
    do {
      return try MeasurementCSV.columnNames(in: text)
    } catch {
      throw CommandError(status: .badData, description: "\(path): \(error)")
    }
  }

  private static func text(of path: String) throws(CommandError) -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw .usage("cannot read \(path.quotedOnOneLine) (allowed: a CSV file of weakbench run)")
    }
    return text
  }

  /// The rows of several files taken together, each with what stands beside it; a row that is there twice is
  /// bad data, and so is none.
  package static func rows(
    inAll paths: [String]
  ) throws(CommandError) -> [Measurement] {
    var rows: [Measurement] = []
    var files: [String: String] = [:]
    for path in withoutSidecars(paths) {
      for row in try Self.rows(in: path) {
        if let other = files.updateValue(path, forKey: row.identity.row) {
          throw CommandError(
            status: .badData,
            description: "\(path): the row \(row.identity.row.quotedOnOneLine) is in \(other) too")
        }
        rows.append(row)
      }
    }
    guard !rows.isEmpty else {
      throw CommandError(
        status: .badData, description: "\(paths.joined(separator: ", ")): there are no rows")
    }
    return rows
  }

  /// How files end that stand beside a file of rows.
  package static let sidecarEndings = [ResultsFile.rolesEnding, NoiseFile.ending]

  /// Without those that stand beside others of them, as a shell's `*.csv` finds both.
  package static func withoutSidecars(_ paths: [String]) -> [String] {
    let beside = Set(
      paths.flatMap { path in
        sidecarEndings.map { OutputDestination.path(beside: path, ending: $0) }
      })
    return paths.filter { !beside.contains($0) }
  }
}

/// A row of results; Foundation has a type of the same name.
package typealias Measurement = Measurements.Measurement
