/// Trials of rows. Each round runs all rows, so that a busy period of the machine affects all of
/// them.
struct Table {
  let rows: [Row]
  private var trials: [[Double]]

  init(_ rows: [Row]) {
    self.rows = rows
    trials = rows.map { _ in [] }
  }

  mutating func run(rounds: Int) async throws {
    for row in rows { _ = try await row.nanoseconds() }  // Warms up.
    for _ in 0..<rounds {
      for index in rows.indices.shuffled() {
        trials[index].append(try await rows[index].nanoseconds())
      }
    }
  }

  var text: String { Self.text(zip(rows, trials).map { ($0.name, $1) }, unit: "ns") }

  /// Returns an aligned Markdown table: the median, the least and the greatest value of each row.
  static func text(_ rows: [(name: String, values: [Double])], unit: String) -> String {
    let width = rows.map(\.name.count).max() ?? 0
    let lines = rows.map { name, values in
      let sorted = values.sorted()
      let figures = [sorted[sorted.count / 2], sorted[0], sorted[sorted.count - 1]]
      return "| \(name.padded(to: width)) | "
        + figures.map { rounded($0).leftPadded(to: 12) }.joined(separator: " | ") + " |"
    }
    let titles = ["median \(unit)", "least", "greatest"].map { $0.leftPadded(to: 12) }
    let head = "| \("".padded(to: width)) | \(titles.joined(separator: " | ")) |"
    let rule =
      "| \(String(repeating: "-", count: width)) | -----------: | -----------: | -----------: |"
    return ([head, rule] + lines).joined(separator: "\n")
  }

  private static func rounded(_ value: Double) -> String {
    value < 100 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
