/// A chart as an SVG element that takes its colours from the style of what it is in.
package struct ChartDrawing {
  private let chart: Chart
  package let width: Double
  package let height: Double

  /// Where the lines are.
  private var left: Double { 62 }
  private var right: Double { width - 14 }
  private var top: Double { 46 }
  private var bottom: Double { height - 42 }

  package init(_ chart: Chart) {
    self.chart = chart
    (width, height) = chart.size == .large ? (560, 340) : (360, 236)
  }

  /// The element with a view box of its own, which is as wide as what it is in.
  package var svg: String {
    """
    <svg class="chart" viewBox="0 0 \(SVG.number(width)) \(SVG.number(height))" role="img" \
    aria-label="\(label.escapedForMarkup)">
    \(content)
    </svg>
    """
  }

  /// What is in the element.
  package var content: String {
    let head = SVG.text(chart.title, x: 4, y: 15, class: "title")
    let parts = [shade, grid, yAxis, xAxis, head, aside]
    let lines = chart.lines.filter { !$0.points.isEmpty }
    guard !lines.isEmpty else { return (parts + [emptiness]).joined(separator: "\n") }
    return (parts + lines.map(drawing)).filter { !$0.isEmpty }.joined(separator: "\n")
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

  private var shade: String {
    guard let shade = chart.shade else { return "" }
    let start = max(left, x(shade.from))
    let area = SVG.polyline([(start, top), (right, top), (right, bottom), (start, bottom)])
    return SVG.path(area + "Z", class: "shade")
      + SVG.text(shade.text, x: right - 5, y: top - 5, anchor: "end", class: "aside")
  }

  private var aside: String {
    guard !chart.aside.isEmpty else { return "" }
    // Beside the title of the axis there is room for about so many characters on a phone.
    let text = chart.aside.count > 48 ? chart.aside.prefix(47) + "…" : chart.aside[...]
    return SVG.text(String(text), x: left, y: bottom + 35, class: "aside")
  }

  private var grid: String {
    let lines = chart.y.ticks.map { tick in
      SVG.polyline([(left, y(tick.value)), (right, y(tick.value))])
    }
    return SVG.path(lines.joined(), class: "grid")
  }

  private var yAxis: String {
    chart.y.ticks.map { tick in
      SVG.text(tick.text, x: left - 7, y: y(tick.value) + 4, anchor: "end")
    }.joined() + SVG.text(chart.y.title, x: 4, y: 30, class: "axis")
  }

  private var xAxis: String {
    chart.x.ticks.map { tick in
      SVG.text(tick.text, x: x(tick.value), y: bottom + 17, anchor: "middle")
    }.joined() + SVG.text(chart.x.title, x: right, y: bottom + 35, anchor: "end", class: "axis")
  }

  private var emptiness: String {
    SVG.text(
      chart.emptyText, x: (left + right) / 2, y: (top + bottom) / 2, anchor: "middle",
      class: "empty")
  }

  private func drawing(of line: ChartLine) -> String {
    let mark = line.key.mark
    let marks = line.points.map { point in
      SVG.path(
        mark.path(x: x(point.x), y: y(point.y)), class: mark.isFilled ? "mark" : "mark hollow",
        note: point.note)
    }
    let path = SVG.path(SVG.polyline(line.path.map { (x($0.x), y($0.y)) }), class: "line")
    return "<g class=\"\(line.key.className)\">\(band(of: line))\(path)\(marks.joined())</g>"
  }

  /// Up along the greatest, back along the least.
  private func band(of line: ChartLine) -> String {
    let banded = line.path.compactMap { point in
      point.band.map { (x: point.x, low: $0.lowerBound, high: $0.upperBound) }
    }
    guard !banded.isEmpty else { return "" }
    // One point alone would have no area.
    let half = banded.count == 1 ? 5.0 : 0
    let upper = banded.flatMap { [(x($0.x) - half, y($0.high)), (x($0.x) + half, y($0.high))] }
    let lower = banded.reversed().flatMap {
      [(x($0.x) + half, y($0.low)), (x($0.x) - half, y($0.low))]
    }
    return SVG.path(SVG.polyline(upper + lower) + "Z", class: "band")
  }
}

/// Pieces of SVG that every drawing is made of.
package enum SVG {
  /// To a tenth of a pixel: sharp enough, and short.
  package static func number(_ value: Double) -> String {
    NumberText.short((value * 10).rounded() / 10)
  }

  package static func text(
    _ content: String, x: Double, y: Double, anchor: String = "start", class name: String = ""
  ) -> String {
    let attributes =
      (anchor == "start" ? "" : " text-anchor=\"\(anchor)\"")
      + (name.isEmpty ? "" : " class=\"\(name)\"")
    return
      "<text x=\"\(number(x))\" y=\"\(number(y))\"\(attributes)>\(content.escapedForMarkup)</text>"
  }

  /// About: no text can be measured here.
  package static func width(of text: String) -> Double { 7 * Double(text.count) }

  /// One or more lines that share a look, as one path.
  package static func path(_ data: String, class name: String, note: String = "") -> String {
    let start = "<path class=\"\(name)\" d=\"\(data)\""
    return note.isEmpty
      ? "\(start)/>" : "\(start)><title>\(note.escapedForMarkup)</title></path>"
  }

  package static func polyline(_ points: [(x: Double, y: Double)]) -> String {
    "M" + points.map { "\(number($0.x)) \(number($0.y))" }.joined(separator: "L")
  }
}
