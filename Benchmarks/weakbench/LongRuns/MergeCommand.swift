import BenchmarkCommands
import TerminalIO
import ArgumentParser
import Charts
import Measurements
import Reporting

/// Puts the files of a fleet's shards together.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Put the files of `weakbench run --shard` together.",
    discussion: """
      All rows must be of one plan, which the column plan names: the same options, seed and program on as \
      many cores. A shard in two files, a row or a trial that is there twice, and a shard that is \
      missing are bad data (status 65), and nothing is written. The machines may differ; what compares \
      rows tells them apart. What stands beside the files goes beside the output: what each role did \
      (.roles.csv) and the trials of A/A runs (.noise.csv).

      EXAMPLES:
        weakbench merge shard-*.csv --output rows.csv
      """)

  @Option(help: "Where the rows go: a new file; - is standard output.")
  var output: String

  @Flag(help: "Replace the file that is there, and what stands beside it.")
  var force = false

  @Flag(help: "Write what there is although shards are missing; they are still said.")
  var allowMissing = false

  @Argument(help: "The files of the shards.")
  var files: [String]

  func run() throws {
    let destination =
      force ? OutputDestination(replacing: output) : OutputDestination(ofNew: output)
    try destination.check()
    let paths = ResultsFile.withoutSidecars(files)
    _ = try ResultsFile.rows(inAll: paths)  // No row may be in two of them.
    let merge = try ShardMerge(
      paths.map { path throws(CommandError) in
        try Self.checkHeader(of: path, columns: MeasurementCSV.columnNames)
        return ShardMerge.File(path: path, rows: try ResultsFile.rows(in: path))
      })
    let beside = try SidecarMerge(beside: paths, rows: merge.rows)
    if !merge.missing.isEmpty {
      let names = merge.missing.map { "\($0.number)" }.joined(separator: ", ")
      let text =
        "of \(merge.missing[0].count) shards, \(names) \(merge.missing.count == 1 ? "is" : "are") missing"
      guard allowMissing else {
        throw CommandError(
          status: .badData, description: "\(text) (allowed: their files, or --allow-missing)")
      }
      Console.note(text)
    }
    let text = MeasurementCSV.text(of: merge.rows)  // Before the file is emptied.
    // First, as in a run: whoever sees a trial's row sees its roles.
    try Self.write(beside, besides: destination)
    try OutputFile(opening: destination).write(text)
    Console.note("\(destination.name) is written: \(NumberText.count(merge.rows.count)) rows")
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
