/// What several trials said of one cost: the middle one, the least and the most.
public struct CostRange: Hashable, Sendable, Codable {
  public var median: Double
  public var low: Double
  public var high: Double

  public init(median: Double, low: Double, high: Double) {
    self.median = median
    self.low = low
    self.high = high
  }

  /// A cost that every trial said alike.
  public init(_ value: Double) {
    self.init(median: value, low: value, high: value)
  }

  /// Nil without values that are above 0 and finite: a cost of nothing has not been measured.
  init?(of values: [Double]) {
    let sorted = values.filter { $0 > 0 && $0.isFinite }.sorted()
    guard let low = sorted.first, let high = sorted.last else { return nil }
    let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    self.init(median: median, low: low, high: high)
  }
}
