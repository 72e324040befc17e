import Measurements

/// A comparison as CSV: a line for each row, those of one side last. What there is not is empty.
package struct ComparisonCSV {
  private let comparison: Comparison

  package init(_ comparison: Comparison) { self.comparison = comparison }

  package var text: String {
    let records = comparison.records
    let header = records.first?.fields.map(\.column) ?? []
    let lines = [header] + records.map { $0.fields.map { Self.text($0.value) } }
    return lines.map { $0.map(MeasurementCSV.field).joined(separator: ",") + "\n" }.joined()
  }

  private static func text(_ value: ComparisonRecord.Value) -> String {
    switch value {
    case .text(let text): text
    case .number(let number): "\(number)"
    case .count(let count): "\(count)"
    case .missing: ""
    }
  }
}
