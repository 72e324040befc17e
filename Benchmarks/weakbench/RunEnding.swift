import Foundation
import Measurements

/// Shows what a run has come to and ends the program.
struct RunEnding: Sendable {
  let total: Int
  let destination: OutputDestination
  let isQuick: Bool
  let details: Bool

  func exit(
    _ rows: [Measurements.Measurement], failures: Int, as status: ExitStatus
  ) -> Never {
    let table = SummaryTable(of: rows, isQuick: isQuick, details: details).text
    if !table.isEmpty {
      // Rows and a table on one stream would be neither.
      if destination == .standardOutput {
        Console.writeError(table + "\n")
      } else {
        Console.print(table)
      }
    }
    Console.note(line(rows: rows.count, failures: failures, status))
    // Not `exit`: other threads may be in the middle of a trial, and nothing is buffered.
    _exit(status.rawValue)
  }

  func line(rows: Int, failures: Int, _ status: ExitStatus) -> String {
    let failed = failures == 0 ? "" : ", \(NumberText.count(failures)) failed"
    let interrupted = status == .interrupted ? "interrupted; " : ""
    let counts = "\(NumberText.count(rows)) of \(NumberText.count(total)) trials"
    return "\(interrupted)\(counts) are rows in \(destination.name)\(failed)"
  }
}
