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
