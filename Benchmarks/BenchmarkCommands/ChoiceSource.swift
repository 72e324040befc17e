import TerminalIO
import Choosing
import Measurements

/// The measurements that `choose` answers from.
package struct ChoiceSource {
  package let calibration: Calibration
  /// Where they were made or, of those compiled in, where the program runs.
  package let key: CalibrationKey
  /// The rows; none of what is compiled in.
  private let rows: [(row: String, sample: CostSample)]

  package static let noRows = CommandError(
    status: .badData, description: "no row of a release build of a backend")

  /// What is compiled in, for where the program runs.
  private static var compiled: ChoiceSource {
    ChoiceSource(calibration: .compiled, key: .current, rows: [])
  }

  private init(
    calibration: Calibration, key: CalibrationKey, rows: [(row: String, sample: CostSample)]
  ) {
    self.calibration = calibration
    self.key = key
    self.rows = rows
  }

  /// Rows of release builds or, with nil, what is compiled in; of rows made on several numbers of cores those on
  /// `cores`.
  package init(
    _ measurements: [Measurements.Measurement]?, _ selection: RowSelection, cores: Int?
  ) throws(CommandError) {
    guard let measurements else {
      guard selection.isEmpty else {
        throw .usage("there are no rows to select (allowed: --machine and the like with CSV files)")
      }
      self = .compiled
      return
    }
    let costs = measurements.filter { CostRows.isCost($0) }
    let onCores = costs.filter { $0.environment.cores == cores }
    let chosen = try selection.applied(to: onCores.isEmpty ? costs : onCores)
    let rows = chosen.compactMap { row in
      CostSample(row, build: row.environment.buildConfiguration).map {
        (row: row.identity.row, sample: $0)
      }
    }
    guard let first = rows.first else { throw Self.noRows }
    self.init(
      calibration: Calibration(rows.map(\.sample)), key: first.sample.key, rows: rows)
  }

  /// What its rows say; nothing of what is compiled in.
  package var samples: [CostSample] { rows.map(\.sample) }

  /// A calibration from some points' rows alone.
  package func calibration(where isWanted: (GridPoint) -> Bool) -> Calibration {
    Calibration(samples.filter { isWanted($0.point) })
  }

  /// The rows of those points.
  package func rows(of points: [GridPoint]) -> [String] {
    let points = Set(points)
    return rows.filter { points.contains($0.sample.point) }.map(\.row)
  }
}

/// Rows that say what a backend costs.
package enum CostRows {
  /// How a benchmark must have been built for decisions.
  package static let fitBuild = "release"

  /// Whether it would be a cost if it were of a fit build.
  package static func isCost(_ row: Measurements.Measurement) -> Bool {
    CostSample(row, build: row.environment.buildConfiguration) != nil
  }
}
