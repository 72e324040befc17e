import Benchmarking
import Charts
import Reporting
import TerminalIO

extension OutputFolder {
  func write(_ files: [ChartFile]) throws(CommandError) {
    for file in files { try write(file.svg, to: file.name) }
    Console.note("\(path) has \(NumberText.count(files.count)) charts")
  }

  /// A file for each kind of latency that was recorded, named by the row.
  func write(_ distributions: [LatencyDistribution], ofRow row: String) throws(CommandError) {
    for distribution in distributions where distribution.count > 0 {
      try write(distribution.text, to: "\(row).\(distribution.name).hgrm")
    }
  }
}
