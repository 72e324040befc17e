import Foundation

/// What tells one line from the others: colour, mark and dashes, the same in all charts of a report.
///
/// Any one of the three is enough to tell backends of ours apart, so that neither a colour-blind reader
/// nor a black-and-white print is at a loss.
package struct LegendKey: Hashable, Sendable {
  package enum Role: Hashable, Sendable {
    case backend, baseline, peer, publishedDesign

    /// What stands behind the name of what is no backend of ours.
    package var suffix: String {
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
  /// Its place among those of its role.
  package let place: Int

  package init(name: String, role: Role, place: Int) {
    self.name = name
    self.role = role
    self.place = place
  }

  package var text: String { name + role.suffix }

  /// Names the line's look in a page's style, and what the page's script hides.
  package var className: String {
    switch role {
    case .backend: "b\(place)"
    case .baseline: "e\(place)"
    case .peer: "p\(place)"
    case .publishedDesign: "d\(place)"
    }
  }

  /// The name of a custom property with its colour. What is not ours is grey.
  package var colour: String {
    role == .backend ? "--hue-\(place % Palette.hues.count)" : "--other"
  }

  package var dashes: String {
    switch role {
    case .backend:
      ["none", "9 3", "5 3", "12 3 3 3", "none", "7 2 2 2 2 2", "3 3", "14 4"][place % 8]
    case .baseline: "1 5"
    case .peer: ["6 5", "6 3 1 3", "3 6"][place % 3]
    case .publishedDesign: ["2 4", "8 6"][place % 2]
    }
  }

  package var mark: PointMark {
    let marks = PointMark.Shape.allCases
    let offset = role == .publishedDesign ? 3 : role == .baseline ? 6 : 0
    return PointMark(shape: marks[(place + offset) % marks.count], isFilled: role == .backend)
  }
}

/// What is drawn where a line has a point.
package struct PointMark: Hashable, Sendable {
  package enum Shape: CaseIterable, Sendable {
    case circle, square, triangle, diamond, tipped, pentagon, star, hexagon
  }

  package let shape: Shape
  package let isFilled: Bool

  /// As the data of an SVG path around a centre.
  package func path(x: Double, y: Double) -> String {
    let corners = corners.map { corner in
      "\(SVG.number(x + corner.x)) \(SVG.number(y + corner.y))"
    }
    return "M\(corners.joined(separator: "L"))Z"
  }

  private var corners: [(x: Double, y: Double)] {
    switch shape {
    case .circle: Self.polygon(12, radius: 3.8)
    case .square: Self.polygon(4, radius: 5, turn: 0.125)
    case .triangle: Self.polygon(3, radius: 5.2)
    case .diamond: Self.polygon(4, radius: 5.4)
    case .tipped: Self.polygon(3, radius: 5.2, turn: 0.5)
    case .pentagon: Self.polygon(5, radius: 4.8)
    case .star: Self.star
    case .hexagon: Self.polygon(6, radius: 4.6)
    }
  }

  /// The first corner is above the centre, or a part of a whole turn after it.
  private static func polygon(
    _ count: Int, radius: Double, turn: Double = 0
  ) -> [(x: Double, y: Double)] {
    (0..<count).map { index in
      let angle = 2 * Double.pi * (Double(index) / Double(count) + turn)
      return (radius * sin(angle), -radius * cos(angle))
    }
  }

  private static let star = (0..<10).map { index in
    let angle = Double.pi * Double(index) / 5
    let radius = index.isMultiple(of: 2) ? 6 : 2.6
    return (x: radius * sin(angle), y: -radius * cos(angle))
  }
}

/// The colours of lines, by day and by night, and how charts use them.
package enum Palette {
  /// Okabe and Ito, "Color Universal Design", 2008: told apart with every kind of colour blindness. Their
  /// yellow is darkened by day and their blue lightened by night, to stand out from the paper; black is
  /// the ink.
  package static let hues: [(day: String, night: String)] = [
    ("#0072b2", "#4aa3e0"), ("#d55e00", "#ff8a4c"), ("#009e73", "#2cc79c"),
    ("#b0548a", "#e7a3cb"), ("#c98700", "#e69f00"), ("#2f9fd8", "#8fd6ff"),
    ("#1f2328", "#f0f3f6"), ("#857a00", "#f0e442"),
  ]

  /// Declarations for the element that the charts are in.
  package static var day: String { declarations(others: Self.dayOthers, hues: hues.map(\.day)) }
  package static var night: String { declarations(others: Self.nightOthers, hues: hues.map(\.night)) }

  private static let dayOthers =
    "--paper:#ffffff;--ink:#1f2328;--soft:#59636e;--rule:#e3e7eb;--shade:#f1f3f5;--other:#77808a;"
  private static let nightOthers =
    "--paper:#0f1318;--ink:#e6edf3;--soft:#9aa4ae;--rule:#2a313a;--shade:#191f26;--other:#8b949e;"

  private static func declarations(others: String, hues: [String]) -> String {
    others + hues.enumerated().map { "--hue-\($0):\($1);" }.joined()
  }

  /// Rules for what is inside a chart.
  package static func rules(for keys: [LegendKey]) -> String {
    let looks = keys.map { key in
      ".\(key.className){--hue:var(\(key.colour));--dash:\(key.dashes)}"
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
