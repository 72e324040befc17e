/// A chart as an SVG element that takes its colors from the style sheet of the page around it.
package struct ChartDrawing {
  private let chart: Chart
  let width: Double
  let height: Double

  // The edges of the plot area.
  private var left: Double { 62 }
  private var right: Double { width - 14 }
  private var top: Double { 52 }
  private var bottom: Double { height - 42 }

  package init(_ chart: Chart) {
    self.chart = chart
    (width, height) = chart.size == .large ? (560, 340) : (360, 236)
  }

  /// The chart as an `svg` element, as wide as the element around it.
  package var svg: Markup {
    Markup(
      "svg",
      [
        "class": "chart", "viewBox": "0 0 \(SVG.number(width)) \(SVG.number(height))",
        "role": "img", "aria-label": label,
      ], lines: [content])
  }

  /// The content of the `svg` element.
  var content: Markup {
    let head = SVG.text(chart.title, x: 4, y: 15, class: "title")
    let lines = chart.lines.filter { !$0.points.isEmpty }
    return
      ([shade, grid, yAxis, xAxis, head, aside]
      + (lines.isEmpty ? [emptiness] : lines.map(drawing))).lines
  }

  private var label: String {
    "\(chart.title): \(chart.y.title) against \(chart.x.title), "
      + "\(chart.lines.count) \(chart.lines.count == 1 ? "line" : "lines")"
  }

  private func x(_ value: Double) -> Double {
    left + 16 + chart.x.scale.position(of: value) * (right - left - 32)
  }

  private func y(_ value: Double) -> Double {
    bottom - chart.y.scale.position(of: value) * (bottom - top)
  }

  private var shade: Markup {
    guard let shade = chart.shade else { return .empty }
    let start = max(left, x(shade.from))
    let area = SVG.polyline([(start, top), (right, top), (right, bottom), (start, bottom)])
    return SVG.path(area + "Z", class: "shade")
      + SVG.text(shade.text, x: right - 5, y: top - 5, anchor: "end", class: "aside")
  }

  private var aside: Markup {
    guard !chart.aside.isEmpty else { return .empty }
    // On a phone, about 48 characters fit beside the title of the axis.
    let text = chart.aside.count > 48 ? chart.aside.prefix(47) + "…" : chart.aside[...]
    return SVG.text(String(text), x: left, y: bottom + 37, class: "aside")
  }

  private var grid: Markup {
    let lines = chart.y.ticks.map { tick in
      SVG.polyline([(left, y(tick.value)), (right, y(tick.value))])
    }
    return SVG.path(lines.joined(), class: "grid")
  }

  private var yAxis: Markup {
    chart.y.ticks.map { tick in
      SVG.text(tick.text, x: left - 7, y: y(tick.value) + 4, anchor: "end")
    }.joined() + SVG.text(chart.y.title, x: 4, y: 31)
  }

  private var xAxis: Markup {
    chart.x.ticks.map { tick in
      SVG.text(tick.text, x: x(tick.value), y: bottom + 20, anchor: "middle")
    }.joined() + SVG.text(chart.x.title, x: right, y: bottom + 37, anchor: "end")
  }

  private var emptiness: Markup {
    SVG.text(
      chart.emptyText, x: (left + right) / 2, y: (top + bottom) / 2, anchor: "middle",
      class: "empty")
  }

  private func drawing(of line: ChartLine) -> Markup {
    let marks = line.points.map { point in
      line.key.mark(x: x(point.x), y: y(point.y), note: point.note)
    }
    let path = SVG.path(SVG.polyline(line.path.map { (x($0.x), y($0.y)) }), class: "line")
    return Markup("g", ["class": line.key.className], band(of: line), path, marks.joined())
  }

  /// Returns the area between the least and the greatest values of a line.
  private func band(of line: ChartLine) -> Markup {
    let banded = line.path.compactMap { point in
      point.band.map { (x: point.x, low: $0.lowerBound, high: $0.upperBound) }
    }
    guard !banded.isEmpty else { return .empty }
    // A single point would have no area.
    let offsets = banded.count == 1 ? [-5.0, 5] : [0]
    let upper = banded.flatMap { point in offsets.map { (x(point.x) + $0, y(point.high)) } }
    let lower = banded.flatMap { point in offsets.map { (x(point.x) + $0, y(point.low)) } }
    return SVG.path(SVG.polyline(upper + lower.reversed()) + "Z", class: "band")
  }
}

/// Creates the SVG elements of drawings.
enum SVG {
  /// Returns a coordinate with one decimal: precise enough, and short.
  static func number(_ value: Double) -> String {
    NumberText.short((value * 10).rounded() / 10)
  }

  static func text(
    _ content: String, x: Double, y: Double, anchor: String? = nil, class name: String? = nil
  ) -> Markup {
    Markup(
      "text", ["x": number(x), "y": number(y), "text-anchor": anchor, "class": name],
      Markup(text: content))
  }

  /// Returns the approximate width of a text; only a browser knows the exact one.
  static func width(of text: String) -> Double { 7 * Double(text.count) }

  static func path(_ data: String, class name: String) -> Markup {
    Markup("path", ["class": name, "d": data])
  }

  static func polyline(_ points: [(x: Double, y: Double)]) -> String {
    "M" + points.map { "\(number($0.x)) \(number($0.y))" }.joined(separator: "L")
  }
}
