import TerminalIO
import Charts
import Measurements
import Reporting

/// The noise floor of this machine as people read it.
package struct NoiseText: Sendable {
  package let noise: MachineNoise

  package init(_ noise: MachineNoise) { self.noise = noise }

  /// One cell of the table, for JSON.
  package struct Figure: Encodable, Sendable {
    package let threads: Int
    package let processes: Int
    package let floor: Double
    package let low: Double?
    package let high: Double?

    package init(_ level: MachineNoise.Level, processes: Int) {
      let side = MachineNoise.Level.Side(processes: processes, trials: processes)
      let interval = level.interval(side, side)
      threads = level.threads
      self.processes = processes
      floor = level.floor(side, side)
      low = interval?.lowerBound
      high = interval?.upperBound
    }

    /// Such as "3.1 % (2.4–3.9)".
    package var text: String {
      func percent(_ part: Double) -> String { NumberText.fixed(part * 100, decimals: 1) }
      guard let low, let high else { return "\(percent(floor)) %" }
      return "\(percent(floor)) % (\(percent(low))–\(percent(high)))"
    }
  }

  /// How many processes of one trial a side has.
  package static let processes = [1, 3, 10, 30]

  package var figures: [Figure] {
    noise.levels.flatMap { level in Self.processes.map { Figure(level, processes: $0) } }
  }

  package var text: String {
    let columns =
      [TextTable.Column(title: "NOISE FLOOR")]
      + Self.processes.map {
        TextTable.Column(title: $0 == 1 ? "1 process" : "\($0) processes", alignment: .right)
      }
    let rows = noise.levels.map { level in
      [level.threads == 1 ? "1 thread" : "\(level.threads) threads"]
        + Self.processes.map { Figure(level, processes: $0).text }
    }
    return (TextTable(columns: columns, rows: rows).lines + [legend]).joined(separator: "\n")
  }

  private var legend: String {
    let processes = noise.levels[0].processes
    return
      "What the ratio of two medians of the same code stays within in 95 of 100 cases, for so many "
      + "processes a side\nof one trial each, with its 95 % interval; from dictionaries against "
      + "themselves in \(processes) processes. Below it no\nverdict is given."
  }
}
