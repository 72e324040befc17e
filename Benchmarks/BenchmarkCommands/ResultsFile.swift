import TerminalIO
import Foundation
import Measurements

/// A CSV file that `weakbench run` wrote.
package enum ResultsFile {
  /// The ending of the file of roles, whose name is otherwise that of the rows.
  package static let rolesEnding = ".roles.csv"

  /// Returns the files, and those that may be next to them and are read with them.
  package static func withSidecars(_ files: [String]) -> [String] {
    files + files.flatMap(sidecars)
  }

  /// Returns the paths of the files that may be next to a file; none are next to a pipe.
  private static func sidecars(of path: String) -> [String] {
    guard InputFile.isFile(path) else { return [] }
    return sidecarEndings.map { OutputDestination.path(beside: path, ending: $0) }
  }

  /// Returns the path of the existing file of roles next to a file; `nil` without one.
  package static func roleFile(beside path: String) -> String? {
    guard InputFile.isFile(path) else { return nil }
    let roles = OutputDestination.path(beside: path, ending: rolesEnding)
    return FileManager.default.fileExists(atPath: roles) ? roles : nil
  }

  /// Returns the rows of a file, with their roles.
  ///
  /// - Throws: An error for malformed data, with line and column, if the file is damaged; a usage
  ///   error if it cannot be read.
  package static func rows(in path: String) throws(CommandError) -> [Measurement] {
    let text = try text(of: path)
    var rows: [Measurement]
    do {
      rows = try MeasurementCSV.measurements(in: text)
    } catch {
      throw damaged(path, "\(error)")
    }
    let roles = try roles(beside: path)
    for index in rows.indices { rows[index].roles = roles[rows[index].identity.row] ?? [] }
    return rows
  }

  /// Returns the roles of each row; empty if no trial in the file has roles.
  private static func roles(
    beside path: String
  ) throws(CommandError) -> [String: [Measurement.Role]] {
    guard let path = roleFile(beside: path) else { return [:] }
    let text = try text(of: path)
    do {
      return try RoleCSV.roles(in: text)
    } catch {
      throw damaged(path, "\(error)")
    }
  }

  /// Returns the names in the first line of a file, including unknown ones.
  package static func columnNames(in path: String) throws(CommandError) -> [String] {
    let text = try text(of: path)
    do {
      return try MeasurementCSV.columnNames(in: text)
    } catch {
      throw damaged(path, "\(error)")
    }
  }

  /// Returns the error of a file that is not what it should be.
  package static func damaged(_ path: String, _ reason: String) -> CommandError {
    CommandError(status: .badData, description: "\(InputFile.name(of: path)): \(reason)")
  }

  /// Returns the contents of a file of rows.
  ///
  /// - Throws: A usage error if it cannot be read.
  package static func contents(of path: String) throws(CommandError) -> Data {
    guard let data = InputFile.contents(path) else {
      throw .unreadable(path, allowed: "a CSV file of weakbench run, or - for standard input")
    }
    return data
  }

  private static func text(of path: String) throws(CommandError) -> String {
    let data = try contents(of: path)
    guard let text = String(data: data, encoding: .utf8) else {
      // No character of more than one byte contains the byte of a line feed.
      let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let wrong = lines.firstIndex { String(data: $0, encoding: .utf8) == nil }
      throw damaged(path, "line \((wrong ?? 0) + 1): the text is not UTF-8; save the file as UTF-8")
    }
    return text
  }

  /// Returns the rows of several files, each with its roles.
  ///
  /// - Throws: An error for malformed data if a file is damaged, if a row is in two files, or if
  ///   there are no rows.
  package static func rows(
    inAll paths: [String]
  ) throws(CommandError) -> [Measurement] {
    var rows: [Measurement] = []
    var files: [String: String] = [:]
    for path in withoutSidecars(paths) {
      for row in try Self.rows(in: path) {
        if let other = files.updateValue(path, forKey: row.identity.row) {
          throw damaged(
            path,
            "the row \(row.identity.row.quotedOnOneLine) is in \(InputFile.name(of: other)) too; "
              + "pass each file once")
        }
        rows.append(row)
      }
    }
    guard !rows.isEmpty else {
      throw CommandError(
        status: .badData,
        description: "\(paths.map(InputFile.name).joined(separator: ", ")): there are no rows; "
          + "pass a file with trials")
    }
    return rows
  }

  /// The endings of the files next to a file of rows: roles, and the A/A runs of earlier versions.
  private static let sidecarEndings = [rolesEnding, ".noise.csv"]

  /// Returns `paths` without those that accompany another of them, because a shell's `*.csv` finds
  /// both.
  package static func withoutSidecars(_ paths: [String]) -> [String] {
    let beside = Set(paths.flatMap(sidecars))
    return paths.filter { !beside.contains($0) }
  }
}

/// A row of results; Foundation has a type of the same name.
package typealias Measurement = Measurements.Measurement

extension Measurement.Environment {
  /// The machine and the build, for the head of a report.
  package var sentence: String {
    let names = [machine, cpu, swift].compactMap(\.self).joined(separator: ", ")
    return "\(names); \(cores) cores; allocator \(allocator); \(buildConfiguration); "
      + "commit \(commit ?? "unknown")."
  }
}
