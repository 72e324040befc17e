/// One line of a chart: what one contestant did, at each number of threads or for each percentile.
package struct ChartLine: Hashable, Sendable {
  package struct Point: Hashable, Sendable {
    package var x: Double
    package var y: Double
    /// From the least to the greatest trial.
    package var band: ClosedRange<Double>?
    /// What a pointer that rests on it shows.
    package var note: String

    package init(x: Double, y: Double, band: ClosedRange<Double>? = nil, note: String = "") {
      self.x = x
      self.y = y
      self.band = band
      self.note = note
    }
  }

  package var key: LegendKey
  /// By growing `x`; one of them is a line too.
  package var points: [Point]
  /// What is drawn through the points instead of lines from each to the next, such as a law fitted to
  /// them; empty if there is nothing.
  package var curve: [Point]

  package init(key: LegendKey, points: [Point], curve: [Point] = []) {
    self.key = key
    self.points = points
    self.curve = curve
  }

  /// What the line goes through.
  var path: [Point] { curve.isEmpty ? points : curve }
}
