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
