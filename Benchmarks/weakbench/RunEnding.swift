import BenchmarkCommands
import TerminalIO
import Charts
import Foundation
import Measurements
import Reporting

/// Shows what a run has come to and ends the program.
struct RunEnding: Sendable {
  let total: Int
  let destination: OutputDestination
  /// Where the report goes, if one is wanted.
  let page: OutputDestination?
  let isQuick: Bool
  let details: Bool
  /// Rows that the file had when the run was resumed.
  var earlier: [Measurements.Measurement] = []

  func exit(
    _ new: [Measurements.Measurement], failures: Int, as status: ExitStatus
  ) -> Never {
    let rows = earlier + new
    let table = Tables.text(of: rows, isQuick: isQuick, details: details)
    if !table.isEmpty {
      // Rows and a table on one stream would be neither.
      if destination == .standardOutput {
        Console.writeError(table + "\n")
      } else {
        Console.print(table)
      }
    }
    Console.note(line(rows: rows.count, failures: failures, status))
    let isReported = report(rows)
    // Not `exit`: other threads may be in the middle of a trial, and nothing is buffered.
    _exit((status == .fine && !isReported ? .failed : status).rawValue)
  }

  /// Makes the page of all rows in the file; false if that failed, which is said.
  private func report(_ rows: [Measurements.Measurement]) -> Bool {
    guard let page, !rows.isEmpty else { return true }
    do {
      var all = rows
      if case .appending(let path) = destination { all = try ResultsFile.rows(in: path) }
      try BenchmarkReport(ofOurs: all).write(to: page, rows: all.count)
      return true
    } catch {
      Console.note(error.description)
      return false
    }
  }

  func line(rows: Int, failures: Int, _ status: ExitStatus) -> String {
    let failed = failures == 0 ? "" : ", \(NumberText.count(failures)) failed"
    let interrupted = status == .interrupted ? "interrupted; " : ""
    let counts = "\(NumberText.count(rows)) of \(NumberText.count(total)) trials"
    return "\(interrupted)\(counts) are rows in \(destination.name)\(failed)"
  }
}
