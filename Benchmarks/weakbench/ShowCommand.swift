import ArgumentParser

/// Shows the table of rows measured before.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the table of CSV files that `weakbench run` wrote.")

  @Flag(help: "Show bytes, latency and spread, one line for each backend and thread count.")
  var details = false

  @Argument(help: "The files, whose rows are taken together.")
  var files: [String]

  func run() throws {
    let rows = try ResultsFile.rows(inAll: files)
    Console.print(Tables.text(of: rows, isQuick: false, details: details))
  }
}
