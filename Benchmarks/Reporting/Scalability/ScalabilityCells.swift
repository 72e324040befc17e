import Charts
import Measurements

/// A fit in cells, which tables show each their way.
struct ScalabilityCells {
  private let fit: ScalabilityFit
  private let cores: Int

  init(_ fit: ScalabilityFit, cores: Int) {
    self.fit = fit
    self.cores = cores
  }

  static let titles = ["λ", "interval", "σ", "interval", "κ", "interval", "peak threads", "R²"]

  var all: [String] {
    let (law, intervals) = (fit.law, fit.intervals)
    return [
      FigureUnit.operationsPerSecond.text(law.throughputOfOne),
      Self.text(of: intervals?.throughputOfOne, .operationsPerSecond),
      FigureUnit.count.text(law.contention), Self.text(of: intervals?.contention, .count),
      FigureUnit.count.text(law.coherency), Self.text(of: intervals?.coherency, .count),
      fit.peakText(cores: cores), fit.determinationText,
    ]
  }

  private static func text(of range: ClosedRange<Double>?, _ unit: FigureUnit) -> String {
    guard let range else { return NumberText.missing }
    return "\(unit.text(range.lowerBound))–\(unit.text(range.upperBound))"
  }
}
