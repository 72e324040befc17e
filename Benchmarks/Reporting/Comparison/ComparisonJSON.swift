import Foundation
import Measurements

/// A comparison as JSON: how it was made, the counts, and the rows, with null for what there is not.
package struct ComparisonJSON {
  private let comparison: Comparison
  private let names: ComparisonNames

  package init(_ comparison: Comparison, _ names: ComparisonNames) {
    self.comparison = comparison
    self.names = names
  }

  package var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(Document(comparison, names)) else {
      preconditionFailure("all numbers of a record are finite")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}

private struct Document: Encodable {
  let base: String
  let candidate: String
  let metric: String
  let threshold: Double
  let noiseFloor: Double?
  let noiseFloorSource: String?
  /// Of the rows of ours.
  let counts: [String: Int]
  let rows: [[String: ComparisonRecord.Value]]

  enum CodingKeys: String, CodingKey {
    case base, candidate, metric, threshold, counts, rows
    case noiseFloor = "noise_floor"
    case noiseFloorSource = "noise_floor_source"
  }

  init(_ comparison: Comparison, _ names: ComparisonNames) {
    base = names.base
    candidate = names.candidate
    metric = comparison.terms.metric.rawValue
    threshold = comparison.terms.threshold.part
    noiseFloor = comparison.noiseFloor?.part
    noiseFloorSource = comparison.noiseFloor?.source.rawValue
    counts = Dictionary(
      uniqueKeysWithValues: Verdict.allCases.map { ($0.rawValue, comparison.count(of: $0)) })
    rows = comparison.records.map { record in
      Dictionary(uniqueKeysWithValues: record.fields.map { ($0.column, $0.value) })
    }
  }
}

extension ComparisonRecord.Value: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .count(let count): try container.encode(count)
    case .missing: try container.encodeNil()
    }
  }
}
