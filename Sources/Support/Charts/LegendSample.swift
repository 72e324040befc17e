/// A piece of a line with its mark, as a legend shows it.
package struct LegendSample {
  private let key: LegendKey

  package init(_ key: LegendKey) { self.key = key }

  /// With the name beside it, inside a drawing.
  package func group(x: Double, y: Double) -> String {
    "<g class=\"\(key.className)\">\(lineAndMark(x: x, y: y))"
      + SVG.text(shortText, x: x + 36, y: y + 4) + "</g>"
  }

  package var groupWidth: Double { 54 + SVG.width(of: shortText) }

  /// A drawing has no end of line to break at.
  private var shortText: String {
    key.text.count > 48 ? "\(key.text.prefix(47))…" : key.text
  }

  /// Alone, inside a page.
  package var svg: String {
    "<svg class=\"chart sample\" viewBox=\"0 0 32 14\" width=\"32\" height=\"14\" aria-hidden=\"true\">"
      + "<g class=\"\(key.className)\">\(lineAndMark(x: 1, y: 7))</g></svg>"
  }

  private func lineAndMark(x: Double, y: Double) -> String {
    SVG.path(SVG.polyline([(x, y), (x + 30, y)]), class: "line")
      + SVG.path(
        key.mark.path(x: x + 15, y: y), class: key.mark.isFilled ? "mark" : "mark hollow")
  }
}
