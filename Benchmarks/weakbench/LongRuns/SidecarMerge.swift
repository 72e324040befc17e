import BenchmarkCommands
import TerminalIO
import Foundation
import Measurements

/// What stands beside the files of shards, put together as their rows are: what each role did, and the
/// trials of A/A runs.
///
/// Rows keep their names, by which roles join them. Who has nothing beside it adds nothing.
struct SidecarMerge {
  /// A file that goes beside the merged rows; without a text, none may be there.
  struct Sidecar {
    let ending: String
    let text: String?
  }

  let sidecars: [Sidecar]

  /// - Parameters:
  ///   - paths: The files of rows.
  ///   - rows: All their rows, with their roles, in the order of the merged file.
  init(beside paths: [String], rows: [Measurements.Measurement]) throws(CommandError) {
    let roles = try Self.present(ResultsFile.rolesEnding, beside: paths, RoleCSV.columnNames)
    let noise = try Self.present(NoiseFile.ending, beside: paths, MeasurementCSV.columnNames)
    let trials = noise.isEmpty ? [] : try ResultsFile.rows(inAll: noise)
    sidecars = [
      Sidecar(
        ending: ResultsFile.rolesEnding,
        text: roles.isEmpty
          ? nil : RoleCSV.header + "\n" + rows.map(RoleCSV.lines).joined()),
      Sidecar(
        ending: NoiseFile.ending, text: noise.isEmpty ? nil : MeasurementCSV.text(of: trials)),
    ]
  }

  /// Those that are there; columns of a later version would be lost.
  private static func present(
    _ ending: String, beside paths: [String], _ columns: [String]
  ) throws(CommandError) -> [String] {
    let files = paths.map { OutputDestination.path(beside: $0, ending: ending) }
      .filter(FileManager.default.fileExists)
    for file in files { try MergeCommand.checkHeader(of: file, columns: columns) }
    return files
  }
}
