import TerminalIO
import Charts
import Reporting

/// How fast a part of the stress harness is, and how fast it has to be.
struct MeasuredRate {
  var name: String
  var unit: String
  var perSecond: Double
  /// The rate to beat.
  var bar: Double
}

/// Measured rates beside their bars.
enum RateTable {
  static func lines(_ rates: [MeasuredRate]) -> [String] {
    let rows = rates.map { rate in
      [
        rate.name, NumberText.rate(rate.perSecond), NumberText.rate(rate.bar),
        "\(NumberText.amount(rate.perSecond / rate.bar))x", rate.unit,
      ]
    }
    return TextTable(
      columns: [
        .init(title: "WHAT"), .init(title: "RATE", alignment: .right),
        .init(title: "BAR", alignment: .right), .init(title: "RATE/BAR", alignment: .right),
        .init(title: "OF"),
      ], rows: rows
    ).lines
  }
}
