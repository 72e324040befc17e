import Foundation

/// The name of a line and its look: color, mark and dashes, the same in all charts of a report.
///
/// Each of the three alone distinguishes the backends of this package, for color-blind readers and
/// for black-and-white prints.
package struct LegendKey: Hashable, Sendable {
  package enum Role: Hashable, Sendable {
    case backend, baseline, peer, publishedDesign

    /// The text after the name; empty for the backends of this package.
    var suffix: String {
      switch self {
      case .backend: ""
      case .baseline: " (baseline)"
      case .peer: " (peer)"
      case .publishedDesign: " (published design)"
      }
    }
  }

  package let name: String
  package let role: Role
  /// The index of the line among the lines of its role.
  package let place: Int

  package init(name: String, role: Role, place: Int) {
    self.name = name
    self.role = role
    self.place = place
  }

  /// The name and the role, for the legend.
  package var text: String { name + role.suffix }

  /// The CSS class of the line: the style sheet colors it, and the script of a page hides it.
  package var className: String {
    switch role {
    case .backend: "b\(place)"
    case .baseline: "e\(place)"
    case .peer: "p\(place)"
    case .publishedDesign: "d\(place)"
    }
  }

  /// The CSS custom property with the color. Only the backends of this package have colors; all
  /// other lines are gray.
  fileprivate var color: String {
    role == .backend ? "--hue-\(place % Palette.hues.count)" : "--other"
  }

  fileprivate var dashes: String {
    switch role {
    case .backend:
      ["none", "9 3", "5 3", "12 3 3 3", "none", "7 2 2 2 2 2", "3 3", "14 4"][place % 8]
    case .baseline: "1 5"
    case .peer: ["6 5", "6 3 1 3", "3 6"][place % 3]
    case .publishedDesign: ["2 4", "8 6"][place % 2]
    }
  }

  /// The marks of all keys. A document defines each once, because it draws some thousands of times.
  static func marks(of keys: [LegendKey]) -> Markup {
    Markup(
      "defs",
      lines: keys.map { key in
        Markup(
          "path",
          [
            "id": key.className, "class": key.role == .backend ? "mark" : "mark hollow",
            "d": SVG.polyline(key.shape.corners) + "Z",
          ])
      })
  }

  /// Returns the mark at a point, with `note` as its tooltip.
  func mark(x: Double, y: Double, note: String = "") -> Markup {
    Markup(
      "use", ["href": "#\(className)", "x": SVG.number(x), "y": SVG.number(y)],
      note.isEmpty ? .empty : Markup("title", Markup(text: note)))
  }

  private var shape: MarkShape {
    let shapes = MarkShape.allCases
    let offset = role == .publishedDesign ? 3 : role == .baseline ? 6 : 0
    return shapes[(place + offset) % shapes.count]
  }
}

/// The shape of the mark at each point of a line.
private enum MarkShape: CaseIterable {
  // No star: it marks a winner.
  case circle, square, triangle, diamond, tipped, pentagon, cross, hexagon

  /// The corners around the origin.
  var corners: [(x: Double, y: Double)] {
    switch self {
    case .circle: Self.polygon(12, radius: 3.8)
    case .square: Self.polygon(4, radius: 5, turn: 0.125)
    case .triangle: Self.polygon(3, radius: 5.2)
    case .diamond: Self.polygon(4, radius: 5.4)
    case .tipped: Self.polygon(3, radius: 5.2, turn: 0.5)
    case .pentagon: Self.polygon(5, radius: 4.8)
    case .cross: Self.plusSign
    case .hexagon: Self.polygon(6, radius: 4.6)
    }
  }

  /// Returns the corners of a polygon. The first one is above the center, rotated by `turn` turns.
  private static func polygon(
    _ count: Int, radius: Double, turn: Double = 0
  ) -> [(x: Double, y: Double)] {
    (0..<count).map { index in
      let angle = 2 * Double.pi * (Double(index) / Double(count) + turn)
      return (radius * sin(angle), -radius * cos(angle))
    }
  }

  private static let plusSign: [(x: Double, y: Double)] = [
    (-1.7, -5), (1.7, -5), (1.7, -1.7), (5, -1.7), (5, 1.7), (1.7, 1.7), (1.7, 5), (-1.7, 5),
    (-1.7, 1.7), (-5, 1.7), (-5, -1.7), (-1.7, -1.7),
  ]
}

/// The colors of lines in light and in dark mode, and the style sheet of charts.
enum Palette {
  /// The colors of Okabe and Ito, "Color Universal Design", 2008, which readers with every kind of
  /// color blindness can distinguish. For contrast with the background, yellow is darker in light
  /// mode and blue is lighter in dark mode; the color of the text replaces black.
  static let hues: [(day: String, night: String)] = [
    ("#0072b2", "#4aa3e0"), ("#d55e00", "#ff8a4c"), ("#009e73", "#2cc79c"),
    ("#b0548a", "#e7a3cb"), ("#c98700", "#e69f00"), ("#2f9fd8", "#8fd6ff"),
    ("#1f2328", "#f0f3f6"), ("#857a00", "#f0e442"),
  ]

  // Declarations of the custom properties, for the element around the charts.
  static var day: String { declarations(others: Self.dayOthers, hues: hues.map(\.day)) }
  static var night: String { declarations(others: Self.nightOthers, hues: hues.map(\.night)) }

  private static let dayOthers =
    "--paper:#ffffff;--ink:#1f2328;--soft:#59636e;--rule:#e3e7eb;--shade:#f1f3f5;--other:#77808a;"
  private static let nightOthers =
    "--paper:#0f1318;--ink:#e6edf3;--soft:#9aa4ae;--rule:#2a313a;--shade:#191f26;--other:#8b949e;"

  private static func declarations(others: String, hues: [String]) -> String {
    others + hues.enumerated().map { "--hue-\($0):\($1);" }.joined()
  }

  /// Returns the rules for the content of charts.
  static func rules(for keys: [LegendKey]) -> String {
    let looks = keys.map { key in
      ".\(key.className){--hue:var(\(key.color));--dash:\(key.dashes)}"
    }
    return rules + looks.joined(separator: "\n")
  }

  private static let rules = """
    .chart text{fill:var(--soft);font:12px system-ui,-apple-system,"Segoe UI",sans-serif}
    .chart .title{fill:var(--ink);font-size:14px;font-weight:600}
    .chart .aside{font-size:11px;font-style:italic}
    .chart .empty{font-size:13px}
    .grid{stroke:var(--rule);fill:none}
    .shade{fill:var(--shade)}
    .line{fill:none;stroke:var(--hue);stroke-width:2;stroke-linejoin:round;stroke-dasharray:var(--dash)}
    .band{fill:var(--hue);fill-opacity:.14}
    .mark{fill:var(--hue);stroke:var(--paper);stroke-width:.8}
    .mark.hollow{fill:var(--paper);stroke:var(--hue);stroke-width:1.6}

    """
}
