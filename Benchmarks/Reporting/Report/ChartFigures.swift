import Charts

/// Charts as figures of an HTML page, named after the article that they are in.
struct ChartFigures {
  let anchor: String

  func drawings(_ charts: [Panel.NamedChart]) -> String {
    charts.map { named in
      "<figure data-chart=\"\(anchor)-\(named.name)\">\n\(ChartDrawing(named.chart).svg)\n</figure>"
    }.joined(separator: "\n")
  }

  /// Shown when they are asked for; nothing if there are none.
  func folded(_ title: String, _ charts: [Panel.NamedChart]) -> String {
    guard !charts.isEmpty else { return "" }
    return """
      <details><summary>\(title)</summary><div class="charts small">
      \(drawings(charts))
      </div></details>
      """
  }
}
