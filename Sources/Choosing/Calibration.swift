/// Measured costs for each place where they hold.
public struct Calibration: Hashable, Sendable {
  private let models: [CalibrationKey: CostModel]

  /// A calibration from `samples`, of any number of keys.
  public init(_ samples: [CostSample]) {
    models = Dictionary(grouping: samples, by: \.key).mapValues(CostModel.init)
  }

  /// The calibration that this package was built with; read when first used.
  public static let compiled: Calibration = {
    do throws(CalibrationSource.Malformed) {
      return Calibration(try CalibrationSource.samples(in: compiledTable))
    } catch {
      preconditionFailure("expected Calibration+Compiled.swift as generated, not \(error.line)")
    }
  }()

  /// Where there are measurements.
  public var keys: [CalibrationKey] { models.keys.sorted() }

  /// What was measured for `key`; nil if nothing was.
  public func model(for key: CalibrationKey) -> CostModel? { models[key] }

  /// One sample for each key, point and backend, the median, in order.
  public var samples: [CostSample] {
    keys.flatMap { models[$0]?.samples(for: $0) ?? [] }
  }
}
