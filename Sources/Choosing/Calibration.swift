/// Measured costs for each place where they hold.
public struct Calibration: Hashable, Sendable {
  private let models: [CalibrationKey: CostModel]

  /// A calibration from what was measured in each place.
  public init(_ costs: [CalibrationKey: [MeasuredCost]]) {
    models = costs.filter { !$0.value.isEmpty }.mapValues(CostModel.init)
  }

  /// A calibration from `samples`, of any number of keys.
  public init(_ samples: [CostSample]) {
    self.init(Dictionary(grouping: samples, by: \.key).mapValues(MeasuredCost.summaries))
  }

  /// The calibration that this package was built with; read when first used.
  public static let compiled: Calibration = {
    do throws(CalibrationSource.Malformed) {
      return Calibration(try CalibrationSource.costs(in: compiledTable))
    } catch {
      preconditionFailure("expected Calibration+Compiled.swift as generated, not \(error.line)")
    }
  }()

  /// Where there are measurements.
  public var keys: [CalibrationKey] { models.keys.sorted() }

  /// What was measured for `key`; nil if nothing was.
  public func model(for key: CalibrationKey) -> CostModel? { models[key] }

  /// What was measured for `key`, in order.
  public func costs(for key: CalibrationKey) -> [MeasuredCost] { models[key]?.costs ?? [] }
}
