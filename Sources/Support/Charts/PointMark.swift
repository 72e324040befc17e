import Foundation

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
