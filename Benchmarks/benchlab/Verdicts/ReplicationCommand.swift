import ArgumentParser
import BenchmarkCommands
import Charts
import Measurements
import Reporting
import TerminalIO

/// The command `replication`, which counts the verdicts of earlier runs that a later run
/// contradicts.
struct ReplicationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replication",
    abstract: "Count verdicts of runs that a later run contradicts.",
    usage: "benchlab replication <file> <file> ...",
    discussion: """
      The last file is held out. Each pair of backends gets a verdict from the other files and
      one from the last file. Runs at different hours show how reliable verdicts are.
      Status 0: at most 1 in 20 verdicts is contradicted; 1: more; 2: nothing to compare.

      EXAMPLES:
        benchlab replication morning.csv noon.csv evening.csv
      """)

  @Flag(help: "Also show the contradicted verdicts.")
  var explain = false

  @Argument(help: "Files of rows; the last one is held out.")
  var files: [String] = []

  func run() throws {
    guard files.count > 1 else {
      throw CommandError.usage(
        "replication needs two or more files, got \(files.count) (allowed: FILE… HELD-OUT)")
    }
    // Refuses a file that is passed twice.
    let machines = try ResultsFile.rows(inAll: files).map(\.environment.machine).withoutRepetitions
    guard machines.count == 1 else {
      throw CommandError(
        status: .badData,
        description:
          "the files are of the machines \(machines.joined(separator: ", ")); "
          + "pass files of one machine")
    }
    let known = try ResultsFile.rows(inAll: Array(files.dropLast()))
    let replication = Replication(of: known, by: try ResultsFile.rows(in: files[files.count - 1]))
    guard replication.compared > 0 else {
      throw CommandError.failed(
        "no pair of backends has verdicts both in the last file and in the files before it; "
          + "pass runs of the same options with three or more sessions each")
    }
    if explain { replication.contradictions.forEach(Console.print) }
    Console.print(replication.text)
    guard replication.holds else {
      throw CommandError(
        status: .found,
        description: "more than 1 in 20 verdicts is contradicted; measure more sessions")
    }
  }
}

/// The verdicts of some rows on pairs of backends, and those of held-out rows on the same pairs.
struct Replication {
  /// The number of pairs that the known rows decide and that are also in the held-out rows.
  private(set) var decided = 0
  /// The number of decided pairs whose verdict in the held-out rows does not contradict the first
  /// one.
  private(set) var confirmed = 0
  /// The number of decided pairs that the held-out rows leave undecided.
  private(set) var open = 0
  /// A line for each decided pair whose two verdicts cannot both be true.
  private(set) var contradictions: [String] = []

  init(of known: [Measurement], by heldOut: [Measurement]) {
    let (cells, others) = (Self.cells(of: known), Self.cells(of: heldOut))
    let rule = VerdictRule()
    for (cell, backends) in cells {
      guard let others = others.first(where: { $0.cell == cell })?.backends else { continue }
      for (place, one) in backends.enumerated() {
        for other in backends.dropFirst(place + 1) {
          guard let oneAgain = others.first(where: { $0.name == one.name }),
            let otherAgain = others.first(where: { $0.name == other.name })
          else { continue }
          let first = rule.judgment(on: one.values, over: other.values)
          guard first.generalVerdict != .undecided else { continue }
          decided += 1
          let again = rule.judgment(on: oneAgain.values, over: otherAgain.values)
          if again.generalVerdict == .undecided {
            open += 1
          } else if rule.isContradiction(first, again) {
            let place = cell.configuration
            contradictions.append(
              "\(place.collection), \(place.workload), \(NumberText.count(place.threads, "thread")), "
                + "\(place.entriesText): \(one.name) against \(other.name) was "
                + "\(first.text), then \(again.text)")
          } else {
            confirmed += 1
          }
        }
      }
    }
  }

  private typealias Cell = (
    cell: Series, backends: [(name: String, values: SessionValues)]
  )

  /// Returns the cells in the order of the rows, and the backends of each cell in the order of
  /// their names.
  private static func cells(of rows: [Measurement]) -> [Cell] {
    Summary.contests(of: Summary.summaries(of: rows)).map { summaries in
      (
        summaries[0].series.contest,
        summaries.map { ($0.series.configuration.backend, $0.nanosecondsPerOperation) }
          .sorted { $0.0 < $1.0 }
      )
    }
  }

  /// The number of pairs that both the known and the held-out rows decide.
  var compared: Int { confirmed + contradictions.count }

  /// Whether at most 1 in 20 verdicts is contradicted.
  var holds: Bool { contradictions.count * 20 <= compared }

  var text: String {
    let share = NumberText.fixed(
      100 * Double(contradictions.count) / Double(max(1, compared)), decimals: 1)
    return "\(NumberText.count(decided)) verdicts on pairs of backends: "
      + "\(NumberText.count(confirmed)) confirmed, \(NumberText.count(open)) undecided in the last "
      + "file, \(NumberText.count(contradictions.count)) contradicted (\(share) %)"
  }
}

extension Judgment {
  /// The verdict with the ratio, such as `slower (1.2)`.
  fileprivate var text: String { "\(verdict.rawValue) (\(NumberText.amount(estimate.ratio)))" }
}
