import Foundation
import WeakCollections

/// Why a file is no calibration.
public enum CalibrationError: Error, Hashable {
  /// The reason is the system's.
  case unreadable(String)
  /// What was expected, on one line.
  case malformed(String)
  /// It was written by a later version, in which a name may mean something else.
  case unsupportedSchema(found: Int, newestKnown: Int)
}

extension Calibration {
  /// A calibration that `weakbench choose --output` wrote.
  ///
  /// - Throws: `CalibrationError` if the file cannot be read, or is no calibration.
  public init(contentsOf file: URL) throws(CalibrationError) {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw .unreadable(error.localizedDescription)
    }
    try self.init(json: data)
  }

  /// A calibration from what `json` gives.
  ///
  /// - Throws: `CalibrationError` if it is no calibration.
  public init(json: Data) throws(CalibrationError) {
    let decoder = JSONDecoder()
    do {
      let schema = try decoder.decode(CalibrationFile.Schema.self, from: json).schema
      guard schema == CalibrationFile.schema else {
        throw CalibrationError.unsupportedSchema(
          found: schema, newestKnown: CalibrationFile.schema)
      }
      self.init(try decoder.decode(CalibrationFile.self, from: json).costs())
    } catch let error as CalibrationError {
      throw error
    } catch {
      throw .malformed(CalibrationFile.reason(for: error))
    }
  }

  /// The calibration as JSON; the same for equal calibrations.
  public var json: Data { PrettyJSON.data(of: CalibrationFile(self)) }
}
