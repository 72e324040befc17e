/// Lines over a common axis, as values; `ChartDrawing` draws it.
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

    /// What it shows, with the unit unless every tick has one.
    package var title: String
    package var scale: Scale
    package var ticks: [Tick]

    package init(title: String, scale: Scale, ticks: [Tick]) {
      self.title = title
      self.scale = scale
      self.ticks = ticks
    }

    /// From 0, or by ratios where values span more than a decade.
    package init(title: String, unit: FigureUnit, values: [Double]) {
      let scale = Scale.fitting(values)
      self.title = title
      self.scale = scale
      ticks = scale.ticks.map { Tick(value: $0, text: unit.tickText($0)) }
    }

    /// Doublings are equal distances; a count that is alone stands in the middle.
    ///
    /// - Precondition: counts grow, are positive, and there is one.
    package static func doublings(title: String, counts: [Int]) -> Axis {
      let (least, most) = (Double(counts[0]), Double(counts[counts.count - 1]))
      return Axis(
        title: title,
        scale: least < most ? .logarithmic(least...most, hasZero: false) : .linear(least...most),
        ticks: counts.map { Tick(value: Double($0), text: NumberText.count($0)) })
    }
  }

  /// A part of the chart that is to be read with care.
  package struct Shade: Hashable, Sendable {
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
  /// What is to be known besides, such as what is not drawn.
  package var aside: String
  /// Stands where there is nothing to draw.
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
