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
