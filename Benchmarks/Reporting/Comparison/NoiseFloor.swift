import Charts
import Foundation
import Measurements

/// By how much medians of the same code differ on one machine, which no number of trials in one process
/// shows: where memory lies, who the neighbours are.
package struct NoiseFloor: Hashable, Sendable {
  package enum Source: String, Sendable {
    /// An A/A run showed it.
    case measured
    /// The processes that measured the same series differ by it.
    case betweenProcesses = "between-processes"
  }

  /// As a part: 0.03 is 3 %.
  package let part: Double
  package let source: Source

  /// How many differences from a mean an estimate must rest on.
  static let differencesNeeded = 10

  package init(measured part: Double) {
    self.part = part
    source = .measured
  }

  /// What the ratios of equal series stay within, all of them in about 95 of 100 comparisons, from the spread of
  /// processes around the mean of their series, all series and both sides together; `nil` if too few were
  /// measured by more than one.
  ///
  /// It shrinks with the processes that take part: of the row that has the fewest.
  init?(estimatedFrom rows: [(base: ComparedSeries, candidate: ComparedSeries)]) {
    let series = rows.flatMap { [$0.base, $0.candidate] }.withoutRepetitions
      .map(\.mediansOfProcesses)
      .filter { $0.count > 1 && $0.allSatisfy { $0 > 0 } }
    let differences = series.reduce(0) { $0 + $1.count - 1 }
    guard differences >= Self.differencesNeeded,
      let inBase = rows.map(\.base.processes).min(),
      let inCandidate = rows.map(\.candidate.processes).min()
    else { return nil }
    let squares = series.reduce(0) { $0 + Self.squaredDeviations(of: $1.map { log($0) }) }
    let deviation = (squares / Double(differences)).squareRoot()
    let ofRatio =
      deviation
      * (Self.varianceOfMedian(of: inBase) + Self.varianceOfMedian(of: inCandidate))
      .squareRoot()
    let point = Self.studentPoint(
      exceededBy: 0.05 / Double(2 * rows.count), freedom: Double(differences))
    let part = exp(point * ofRatio) - 1
    guard part.isFinite else { return nil }
    self.part = part
    source = .betweenProcesses
  }

  /// That of the median of so many normal values, in parts of theirs: the mean's for two, and from three on
  /// more (David and Nagaraja, "Order Statistics", 2003).
  static func varianceOfMedian(of count: Int) -> Double {
    let known = [1, 0.5, 0.4487, 0.2982, 0.2868]
    return count <= known.count ? known[count - 1] : .pi / 2 / Double(count)
  }

  /// Above which Student's *t* is with this probability, from the normal point by the first terms of its
  /// expansion (Fisher and Cornish, 1960).
  static func studentPoint(exceededBy probability: Double, freedom: Double) -> Double {
    let z = normalPoint(exceededBy: probability)
    let first = (z * z * z + z) / 4
    let second = (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / 96
    return z + first / freedom + second / (freedom * freedom)
  }

  /// Above which a normal variable is with this probability, by halving where it may be.
  private static func normalPoint(exceededBy probability: Double) -> Double {
    var (lower, upper) = (0.0, 40.0)
    for _ in 0..<60 {
      let middle = (lower + upper) / 2
      if erfc(middle / 2.0.squareRoot()) / 2 > probability {
        lower = middle
      } else {
        upper = middle
      }
    }
    return lower
  }

  private static func squaredDeviations(of values: [Double]) -> Double {
    let mean = values.reduce(0, +) / Double(values.count)
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }
}
