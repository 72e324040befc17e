/// Lines at the bottom of a terminal that are drawn over.
struct WatchScreen: Sendable {
  private var drawn = 0

  /// What to send to a terminal of that size to show `lines` in the place of those before; what has no room
  /// is left out.
  mutating func text(for lines: [String], width: Int, height: Int) -> String {
    let shown = lines.prefix(max(1, height - 1)).map { line in
      line.count <= width ? line : line.prefix(max(0, width - 1)) + "…"
    }
    defer { drawn = shown.count }
    return home + shown.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J"
  }

  /// What takes them away.
  mutating func clear() -> String {
    defer { drawn = 0 }
    return drawn > 0 ? home + "\u{1B}[J" : ""
  }

  private var home: String { drawn > 0 ? "\u{1B}[\(drawn)A\r" : "" }
}
