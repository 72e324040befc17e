import Foundation
import Measurements

/// One row of a comparison as fields, for CSV and JSON.
struct ComparisonRecord {
  enum Value: Hashable, Encodable {
    case text(String), number(Double), count(Int)
    /// The value was not measured, is unknown, or is not finite, such as a ratio to 0.
    case missing

    init(_ text: String?) { self = text.map(Value.text) ?? .missing }

    init(_ number: Double?) {
      self = number.flatMap { $0.isFinite ? .number($0) : nil } ?? .missing
    }

    init(_ count: Int?) { self = count.map(Value.count) ?? .missing }

    /// The value as a CSV field.
    var text: String {
      switch self {
      case .text(let text): text
      case .number(let number): "\(number)"
      case .count(let count): "\(count)"
      case .missing: ""
      }
    }

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

  let fields: [(column: String, value: Value)]

  init(_ row: ComparedRow, of comparison: Comparison) {
    fields = Self.fields(
      row.verdict.rawValue, base: row.base, candidate: row.candidate, judgment: row.judgment,
      of: comparison)
  }

  init(onlyInBase series: ComparedSeries, of comparison: Comparison) {
    fields = Self.fields("only-in-base", base: series, candidate: nil, of: comparison)
  }

  init(onlyInCandidate series: ComparedSeries, of comparison: Comparison) {
    fields = Self.fields("only-in-candidate", base: nil, candidate: series, of: comparison)
  }

  private static func fields(
    _ verdict: String, base: ComparedSeries?, candidate: ComparedSeries?,
    judgment: Judgment? = nil, of comparison: Comparison
  ) -> [(column: String, value: Value)] {
    let series = candidate ?? base
    let configuration = series?.configuration
    let estimate = judgment?.estimate
    let figures: [(column: String, value: Value)] = [
      ("base_trials", Value(base?.values.trials)),
      ("candidate_trials", Value(candidate?.values.trials)),
      ("base_sessions", Value(base?.values.sessions.count)),
      ("candidate_sessions", Value(candidate?.values.sessions.count)),
      ("base_median", Value(base?.values.figure)),
      ("candidate_median", Value(candidate?.values.figure)),
      ("ratio", Value(estimate?.ratio)), ("ratio_low", Value(estimate?.interval?.lowerBound)),
      ("ratio_high", Value(estimate?.interval?.upperBound)),
      (
        "verdict_in_session",
        Value(judgment.flatMap { $0.isIndicative ? $0.verdict.rawValue : nil })
      ),
      ("threshold", Value(comparison.terms.rule.margin)),
      ("assumed_noise", Value(comparison.terms.rule.assumedNoise)),
    ]
    return [
      ("verdict", .text(verdict)), ("metric", .text(comparison.terms.metric.rawValue)),
      ("kind", Value(series?.kind.rawValue)), ("collection", Value(configuration?.collection)),
      ("backend", Value(candidate?.configuration.backend)),
      ("base_backend", Value(base?.configuration.backend)),
      ("workload", Value(configuration?.workload)), ("mix", Value(configuration?.shares.mixText)),
      ("key_type", Value(configuration?.keyType)), ("value_type", Value(configuration?.valueType)),
      ("key_distribution", Value(configuration?.keyDistribution)),
      ("driver", Value(configuration?.driver)), ("threads", Value(configuration?.threads)),
      ("entries", Value(configuration?.entries)),
    ] + figures
  }
}

extension Comparison {
  /// The rows with a verdict, followed by those that only one side has.
  var records: [ComparisonRecord] {
    rows.map { ComparisonRecord($0, of: self) }
      + onlyInBase.map { ComparisonRecord(onlyInBase: $0, of: self) }
      + onlyInCandidate.map { ComparisonRecord(onlyInCandidate: $0, of: self) }
  }
}

/// A comparison as CSV: one line per row, then one line per series that only one side has. Missing
/// values are empty fields.
package struct ComparisonCSV {
  private let comparison: Comparison

  package init(_ comparison: Comparison) { self.comparison = comparison }

  package var text: String {
    let records = comparison.records
    let header = records.first?.fields.map(\.column) ?? []
    let lines = [header] + records.map { $0.fields.map(\.value.text) }
    return lines.map { $0.map(MeasurementCSV.field).joined(separator: ",") + "\n" }.joined()
  }
}

/// A comparison as JSON: its terms, the counts of verdicts, and the rows. Missing values are null.
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
      fatalError(
        "the comparison of \(names.candidate) with \(names.base) cannot be encoded as JSON; "
          + "report this as a bug")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}

private struct Document: Encodable {
  let base: String
  let candidate: String
  let metric: String
  let threshold: Double
  let assumedNoise: Double
  let geometricMean: Double?
  /// The number of backends' rows with each verdict.
  let counts: [String: Int]
  let rows: [[String: ComparisonRecord.Value]]

  enum CodingKeys: String, CodingKey {
    case base, candidate, metric, threshold, counts, rows
    case assumedNoise = "assumed_noise"
    case geometricMean = "geometric_mean"
  }

  init(_ comparison: Comparison, _ names: ComparisonNames) {
    base = names.base
    candidate = names.candidate
    metric = comparison.terms.metric.rawValue
    threshold = comparison.terms.rule.margin
    assumedNoise = comparison.terms.rule.assumedNoise
    geometricMean = comparison.geometricMean
    counts = Dictionary(
      uniqueKeysWithValues: Verdict.allCases.map { ($0.rawValue, comparison.count(of: $0)) })
    rows = comparison.records.map { record in
      Dictionary(uniqueKeysWithValues: record.fields.map { ($0.column, $0.value) })
    }
  }
}
