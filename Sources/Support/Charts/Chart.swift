/// A line chart as a value. `ChartDrawing` draws it.
package struct Chart: Hashable, Sendable {
  package struct Axis: Hashable, Sendable {
    package struct Tick: Hashable, Sendable {
      package var value: Double
      package var text: String

      package init(value: Double, text: String) {
        self.value = value
        self.text = text
      }
    }

    /// The quantity, and its unit unless every tick names the unit.
    package var title: String
    package var scale: Scale
    package var ticks: [Tick]

    package init(title: String, scale: Scale, ticks: [Tick]) {
      self.title = title
      self.scale = scale
      self.ticks = ticks
    }

    /// Creates an axis whose scale fits `values`: linear from 0, or logarithmic if they span more
    /// than a decade.
    package init(title: String, unit: FigureUnit, values: [Double]) {
      let scale = Scale.fitting(values)
      self.title = title
      self.scale = scale
      ticks = scale.ticks.map { Tick(value: $0, text: unit.tickText($0)) }
    }

    /// Returns a logarithmic axis with a tick for each count; a single count is in the middle.
    ///
    /// - Precondition: `counts` is not empty, and its elements are positive and increasing.
    package static func doublings(title: String, counts: [Int]) -> Axis {
      let (least, most) = (Double(counts[0]), Double(counts[counts.count - 1]))
      return Axis(
        title: title,
        scale: least < most ? .logarithmic(least...most, hasZero: false) : .linear(least...most),
        ticks: counts.map { Tick(value: Double($0), text: NumberText.count($0)) })
    }
  }

  /// A shaded range of the x axis, whose values the reader should treat with care.
  package struct Shade: Hashable, Sendable {
    /// The start of the range, which ends with the axis.
    package var from: Double
    package var text: String

    package init(from: Double, text: String) {
      self.from = from
      self.text = text
    }
  }

  package enum Size: Hashable, Sendable { case large, small }

  package var title: String
  package var size: Size
  package var x: Axis
  package var y: Axis
  package var lines: [ChartLine]
  package var shade: Shade?
  /// A remark below the chart, such as on values that it does not show.
  package var aside: String
  /// The text in an empty chart.
  package var emptyText: String

  package init(
    title: String, size: Size = .large, x: Axis, y: Axis, lines: [ChartLine], shade: Shade? = nil,
    aside: String = "", emptyText: String = "\(NumberText.missing) not measured"
  ) {
    self.title = title
    self.size = size
    self.x = x
    self.y = y
    self.lines = lines
    self.shade = shade
    self.aside = aside
    self.emptyText = emptyText
  }
}

/// One line of a chart: the results of one contender, by number of threads or by percentile.
package struct ChartLine: Hashable, Sendable {
  package struct Point: Hashable, Sendable {
    package var x: Double
    package var y: Double
    /// The range from the least to the greatest trial.
    package var band: ClosedRange<Double>?
    /// The tooltip.
    package var note: String

    package init(x: Double, y: Double, band: ClosedRange<Double>? = nil, note: String = "") {
      self.x = x
      self.y = y
      self.band = band
      self.note = note
    }
  }

  package var key: LegendKey
  /// The points in order of increasing `x`. A line may have a single point.
  package var points: [Point]
  /// The points of a curve that replaces the straight lines between `points`, such as a fitted law;
  /// empty for straight lines.
  package var curve: [Point]

  package init(key: LegendKey, points: [Point], curve: [Point] = []) {
    self.key = key
    self.points = points
    self.curve = curve
  }

  /// The points that the line connects.
  var path: [Point] { curve.isEmpty ? points : curve }
}
