/// Counts as a line of small columns, from nothing to the greatest.
enum Sparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")

  /// At most `width` columns, each of the greatest count in its part; empty of nothing.
  static func text(of counts: [Int], width: Int) -> String {
    guard let greatest = counts.max(), width > 0 else { return "" }
    let columns = min(width, counts.count)
    return String(
      (0..<columns).map { column in
        let part = counts[column * counts.count / columns..<(column + 1) * counts.count / columns]
        guard greatest > 0, let count = part.max() else { return blocks[0] }
        return blocks[count * (blocks.count - 1) / greatest]
      })
  }
}
