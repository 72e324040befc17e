import ArgumentParser
import BenchmarkCommands
import Charts
import Foundation
import Measurements
import Reporting
import TerminalIO

/// The command `merge`, which combines files of rows.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Combine files of `weakbench run`.",
    discussion: """
      The rows keep the order of the files. A row in two files, a damaged file and an
      unknown column are malformed data (status 65); nothing is written then. Roles
      (.roles.csv) and A/A runs (.noise.csv) next to the files are merged too.

      EXAMPLES:
        weakbench merge one.csv two.csv --output rows.csv
      """)

  @Option(
    help: ArgumentHelp("New file for the rows; - is standard output.", valueName: "file"))
  var output: String

  @Flag(help: "Replace an existing file and those next to it.")
  var force = false

  @Argument(help: "The files of rows; - is standard input.")
  var files: [String]

  func run() throws {
    let destination =
      force ? OutputDestination(replacing: output) : OutputDestination(ofNew: output)
    try destination.check(unless: ["--force"])
    let paths = ResultsFile.withoutSidecars(files)
    try destination.check(isNoneOf: ResultsFile.withSidecars(paths))
    for path in paths { try Self.checkHeader(of: path, columns: MeasurementCSV.columnNames) }
    let rows = try ResultsFile.rows(inAll: paths)
    let beside = try SidecarMerge(beside: paths, rows: rows)
    let text = MeasurementCSV.text(of: rows)
    // The roles first, as in a run, so that a reader that sees a trial's row also sees its roles.
    try Self.write(beside, besides: destination, inputs: ResultsFile.withSidecars(paths))
    try OutputFile(opening: destination).write(text)
    Console.note("\(destination.name) is written: \(NumberText.count(rows.count)) rows")
  }

  private static func write(
    _ merge: SidecarMerge, besides rows: OutputDestination, inputs: [String]
  ) throws(CommandError) {
    guard rows.isFile else {
      let lost = merge.sidecars.filter { $0.text != nil }.map(\.ending)
      if !lost.isEmpty { Console.note("without a file, no \(lost.joined(separator: " and no "))") }
      return
    }
    let destinations = try merge.sidecars.map { sidecar throws(CommandError) in
      try rows.beside(ending: sidecar.ending, option: "--output")
    }
    for destination in destinations {
      try destination.check(unless: ["--force"])
      try destination.check(isNoneOf: inputs)
    }
    for (sidecar, destination) in zip(merge.sidecars, destinations) {
      if let text = sidecar.text {
        try OutputFile(opening: destination).write(text)
        Console.note("\(destination.name) is written")
      } else {
        // An older file would be mistaken for that of the new rows.
        try destination.remove()
      }
    }
  }

  /// Throws for a file with unknown columns, which the merged file would lose.
  static func checkHeader(of path: String, columns: [String]) throws(CommandError) {
    let unknown = try ResultsFile.columnNames(in: path).filter { !columns.contains($0) }
    guard let name = unknown.first else { return }
    throw ResultsFile.damaged(
      path,
      "the column \(name.quotedOnOneLine) is not one of this version's; "
        + "use the version that wrote the file")
  }
}

/// The merged files next to the rows: roles, and trials of A/A runs.
///
/// Rows keep their identifiers, by which roles refer to them. A file of rows without such files
/// adds nothing.
struct SidecarMerge {
  /// A file next to the merged rows; without a text, no such file may exist.
  struct Sidecar {
    let ending: String
    let text: String?
  }

  let sidecars: [Sidecar]

  /// Merges the files next to `paths`.
  ///
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

  /// Returns the existing files with the given ending; throws if one has unknown columns.
  private static func present(
    _ ending: String, beside paths: [String], _ columns: [String]
  ) throws(CommandError) -> [String] {
    let files = paths.map { OutputDestination.path(beside: $0, ending: ending) }
      .filter(FileManager.default.fileExists)
    for file in files { try MergeCommand.checkHeader(of: file, columns: columns) }
    return files
  }
}
