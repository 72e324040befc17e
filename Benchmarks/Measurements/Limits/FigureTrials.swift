/// What the trials of a run gave for each figure. A figure without trials was not measured.
public struct FigureTrials: Sendable {
  public private(set) var values: [Figure: [Double]] = [:]

  public init() {}

  public mutating func add(_ value: Double, to figure: Figure) {
    values[figure, default: []].append(value)
  }

  /// `nil` where nothing was measured.
  public func median(of figure: Figure) -> Double? {
    values[figure].flatMap(Statistics.median)
  }
}
