import ArgumentParser
import BenchmarkCommands
import Charts
import Foundation
import Measurements
import Reporting
import TerminalIO

/// Puts files of rows together.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Put files of `weakbench run` together.",
    discussion: """
      The rows are written in the order of the files. A row that is in two files, a damaged file, and a column \
      that this version does not know are bad data (status 65), and nothing is written. The machines may differ; \
      the commands that compare rows tell them apart. The files beside the rows are merged beside the output: \
      what each role did (.roles.csv) and the trials of A/A runs (.noise.csv).

      EXAMPLES:
        weakbench merge one.csv two.csv --output rows.csv
      """)

  @Option(help: "Where the rows go: a new file; - is standard output.")
  var output: String

  @Flag(help: "Replace the file that is there, and what stands beside it.")
  var force = false

  @Argument(help: "The files of rows.")
  var files: [String]

  func run() throws {
    let destination =
      force ? OutputDestination(replacing: output) : OutputDestination(ofNew: output)
    try destination.check()
    let paths = ResultsFile.withoutSidecars(files)
    for path in paths { try Self.checkHeader(of: path, columns: MeasurementCSV.columnNames) }
    let rows = try ResultsFile.rows(inAll: paths)
    let beside = try SidecarMerge(beside: paths, rows: rows)
    let text = MeasurementCSV.text(of: rows)  // Before the file is emptied.
    // First, as in a run: whoever sees a trial's row sees its roles.
    try Self.write(beside, besides: destination)
    try OutputFile(opening: destination).write(text)
    Console.note("\(destination.name) is written: \(NumberText.count(rows.count)) rows")
  }

  private static func write(
    _ merge: SidecarMerge, besides rows: OutputDestination
  ) throws(CommandError) {
    guard rows.isFile else {
      let lost = merge.sidecars.filter { $0.text != nil }.map(\.ending)
      if !lost.isEmpty { Console.note("without a file, no \(lost.joined(separator: " and no "))") }
      return
    }
    let destinations = try merge.sidecars.map { sidecar throws(CommandError) in
      try rows.beside(ending: sidecar.ending, option: "--output")
    }
    for destination in destinations { try destination.check() }
    for (sidecar, destination) in zip(merge.sidecars, destinations) {
      if let text = sidecar.text {
        try OutputFile(opening: destination).write(text)
        Console.note("\(destination.name) is written")
      } else {
        // An older one would be taken for that of the new rows.
        try destination.remove()
      }
    }
  }

  /// Columns of a later version would be lost.
  static func checkHeader(of path: String, columns: [String]) throws(CommandError) {
    let unknown = try ResultsFile.columnNames(in: path).filter { !columns.contains($0) }
    guard let name = unknown.first else { return }
    throw CommandError(
      status: .badData,
      description: "\(path): the column \(name.quotedOnOneLine) is not one of this version's")
  }
}

/// What stands beside files of rows, merged as the rows are: what each role did, and the trials of A/A runs.
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
  init(beside paths: [String], rows: [Measurement]) throws(CommandError) {
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
