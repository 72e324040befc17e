import Foundation
import Measurements

/// A CSV file that `weakbench run` wrote.
enum ResultsFile {
  /// Its rows; a damaged file is an error with line and column, and no rows.
  static func rows(in path: String) throws(CommandError) -> [Measurements.Measurement] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw .usage("cannot read \(path.quotedOnOneLine) (allowed: a CSV file of weakbench run)")
    }
    do {
      return try MeasurementCSV.measurements(in: text)
    } catch {
      throw CommandError(status: .badData, description: "\(path): \(error)")
    }
  }
}
