/// A stand-alone SVG file with rows of charts under one legend, in the reader's light or dark mode.
package struct ChartSheet {
  private let title: String
  private let subtitle: String
  private let keys: [LegendKey]
  private let rows: [[ChartDrawing]]

  package init(title: String, subtitle: String = "", rows: [[Chart]]) {
    self.title = title
    self.subtitle = subtitle
    keys = rows.joined().flatMap { $0.lines.map(\.key) }.withoutRepetitions
    self.rows = rows.map { $0.map(ChartDrawing.init) }
  }

  private static let margin = 16.0
  private static let lineHeight = 22.0

  /// The text of the SVG file.
  package var svg: String {
    let (width, height) = (SVG.number(width), SVG.number(height))
    let sheet = Markup(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "class": "chart",
        "viewBox": "0 0 \(width) \(height)", "width": width, "height": height, "role": "img",
        "aria-label": title,
      ],
      lines: [
        Markup("style", lines: [Markup(verbatim: style)]), LegendKey.marks(of: keys),
        SVG.path("M0 0H\(width)V\(height)H0Z", class: "page"),
        SVG.text(title, x: Self.margin, y: 26, class: "title"),
        SVG.text(subtitle, x: Self.margin, y: 44), legend.svg, body,
      ])
    return sheet.rendered + "\n"
  }

  private var style: String {
    """
    svg{\(Palette.day)}
    @media (prefers-color-scheme:dark){svg{\(Palette.night)}}
    .page{fill:var(--paper)}
    \(Palette.rules(for: keys))
    """
  }

  private var width: Double {
    let widths = rows.map { $0.reduce(0) { $0 + $1.width } }
    return 2 * Self.margin + max(widths.max() ?? 0, SVG.width(of: subtitle))
  }

  private var top: Double { 62 + Double(legend.lines) * Self.lineHeight }

  private var height: Double { top + rows.reduce(Self.margin) { $0 + Self.height(of: $1) } }

  private static func height(of row: [ChartDrawing]) -> Double { row.map(\.height).max() ?? 0 }

  private var body: Markup {
    var y = top
    return rows.map { row in
      defer { y += Self.height(of: row) }
      var x = Self.margin
      return row.map { drawing in
        defer { x += drawing.width }
        return Markup(
          "g", ["transform": "translate(\(SVG.number(x)) \(SVG.number(y)))"],
          lines: [drawing.content])
      }.lines
    }.lines
  }

  /// The legend, with as many keys on a line as fit.
  private var legend: (svg: Markup, lines: Int) {
    var (x, line) = (Self.margin, 0)
    let entries = keys.map { key in
      let sample = LegendSample(key)
      if x > Self.margin, x + sample.groupWidth > width { (x, line) = (Self.margin, line + 1) }
      defer { x += sample.groupWidth }
      return sample.group(x: x, y: 62 + Double(line) * Self.lineHeight)
    }
    return (entries.lines, keys.isEmpty ? 0 : line + 1)
  }
}

/// A piece of a line with its mark, as a legend shows it.
struct LegendSample {
  private let key: LegendKey

  init(_ key: LegendKey) { self.key = key }

  /// Returns the sample and the name beside it, for a drawing.
  func group(x: Double, y: Double) -> Markup {
    Markup(
      "g", ["class": key.className], lineAndMark(x: x, y: y),
      SVG.text(shortText, x: x + 36, y: y + 4))
  }

  var groupWidth: Double { 54 + SVG.width(of: shortText) }

  /// The truncated name, because SVG does not wrap text.
  private var shortText: String {
    key.text.count > 48 ? "\(key.text.prefix(47))…" : key.text
  }

  /// The sample without a name, for a page.
  var svg: Markup {
    Markup(
      "svg",
      [
        "class": "chart sample", "viewBox": "0 0 32 14", "width": "32", "height": "14",
        "aria-hidden": "true",
      ], Markup("g", ["class": key.className], lineAndMark(x: 1, y: 7)))
  }

  private func lineAndMark(x: Double, y: Double) -> Markup {
    SVG.path(SVG.polyline([(x, y), (x + 30, y)]), class: "line") + key.mark(x: x + 15, y: y)
  }
}
