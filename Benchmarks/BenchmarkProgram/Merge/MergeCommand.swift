import ArgumentParser
import BenchmarkCommands
import Charts
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
      (.roles.csv) next to the files are merged too.

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
    let roleFiles = paths.compactMap(ResultsFile.roleFile)
    for path in roleFiles { try Self.checkHeader(of: path, columns: RoleCSV.columnNames) }
    let rows = try ResultsFile.rows(inAll: paths)
    // Rows keep their identifiers, by which roles refer to them.
    let roles = roleFiles.isEmpty ? nil : RoleCSV.text(of: rows)
    // The roles first, as in a run, so that a reader that sees a trial's row also sees its roles.
    try Self.write(roles, beside: destination, inputs: ResultsFile.withSidecars(paths))
    try OutputFile(opening: destination).write(MeasurementCSV.text(of: rows))
    Console.note("\(destination.name) is written: \(NumberText.count(rows.count)) rows")
  }

  /// Writes the text of the roles next to the merged rows; without roles, no such file may exist.
  private static func write(
    _ roles: String?, beside rows: OutputDestination, inputs: [String]
  ) throws(CommandError) {
    guard rows.isFile else {
      if roles != nil { Console.note("without a file, no \(ResultsFile.rolesEnding)") }
      return
    }
    let destination = try rows.beside(ending: ResultsFile.rolesEnding, option: "--output")
    try destination.check(unless: ["--force"])
    try destination.check(isNoneOf: inputs)
    if let roles {
      try OutputFile(opening: destination).write(roles)
      Console.note("\(destination.name) is written")
    } else {
      // An older file would be mistaken for that of the new rows.
      try destination.remove()
    }
  }

  /// Throws for a file with unknown columns, which the merged file would lose.
  private static func checkHeader(of path: String, columns: [String]) throws(CommandError) {
    let unknown = try ResultsFile.columnNames(in: path).filter { !columns.contains($0) }
    guard let name = unknown.first else { return }
    throw ResultsFile.damaged(path, "\(ResultsError.unknownColumn(name))")
  }
}
