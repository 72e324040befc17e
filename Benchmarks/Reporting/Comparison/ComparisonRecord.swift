import Measurements

/// One row as files have it: columns by name, in order.
struct ComparisonRecord {
  enum Value: Hashable {
    case text(String), number(Double), count(Int)
    /// Not measured, not known, or, as a ratio to 0 is, not finite.
    case missing

    init(_ text: String?) { self = text.map(Value.text) ?? .missing }

    init(_ number: Double?) {
      self = number.flatMap { $0.isFinite ? .number($0) : nil } ?? .missing
    }

    init(_ count: Int?) { self = count.map(Value.count) ?? .missing }
  }

  let fields: [(column: String, value: Value)]

  init(_ row: ComparedRow, of comparison: Comparison) {
    fields = Self.fields(
      row.verdict.rawValue, base: row.base, candidate: row.candidate, evidence: row.evidence,
      noiseFloor: row.noiseFloor, of: comparison)
  }

  init(onlyInBase series: ComparedSeries, of comparison: Comparison) {
    fields = Self.fields("only-in-base", base: series, candidate: nil, of: comparison)
  }

  init(onlyInCandidate series: ComparedSeries, of comparison: Comparison) {
    fields = Self.fields("only-in-candidate", base: nil, candidate: series, of: comparison)
  }

  private static func fields(
    _ verdict: String, base: ComparedSeries?, candidate: ComparedSeries?,
    evidence: Evidence? = nil, noiseFloor: NoiseFloor? = nil, of comparison: Comparison
  ) -> [(column: String, value: Value)] {
    let series = candidate ?? base
    let configuration = series?.configuration
    return [
      ("verdict", .text(verdict)), ("metric", .text(comparison.terms.metric.rawValue)),
      ("kind", Value(series?.kind.rawValue)), ("collection", Value(configuration?.collection)),
      ("backend", Value(candidate?.configuration.backend)),
      ("base_backend", Value(base?.configuration.backend)),
      ("workload", Value(configuration?.workload)), ("mix", Value(configuration?.shares.mixText)),
      ("key_type", Value(configuration?.keyType)), ("value_type", Value(configuration?.valueType)),
      ("key_distribution", Value(configuration?.keyDistribution)),
      ("driver", Value(configuration?.driver)), ("threads", Value(configuration?.threads)),
      ("size", Value(configuration?.size)),
      ("base_trials", Value(base?.trials)), ("candidate_trials", Value(candidate?.trials)),
      ("base_processes", Value(base?.processes)),
      ("candidate_processes", Value(candidate?.processes)),
      ("base_median", Value(evidence?.baseMedian ?? base?.median)),
      ("candidate_median", Value(evidence?.candidateMedian ?? candidate?.median)),
      ("ratio", Value(evidence?.ratio)), ("ratio_low", Value(evidence?.interval?.lowerBound)),
      ("ratio_high", Value(evidence?.interval?.upperBound)),
      ("cliffs_delta", Value(evidence?.cliffsDelta)), ("p_value", Value(evidence?.pValue)),
      ("adjusted_p_value", Value(evidence?.adjustedPValue)),
      ("threshold", Value(comparison.terms.threshold.part)),
      ("noise_floor", Value(noiseFloor?.part)),
    ]
  }
}

extension Comparison {
  /// The rows with a verdict, then those of one side.
  var records: [ComparisonRecord] {
    rows.map { ComparisonRecord($0, of: self) }
      + onlyInBase.map { ComparisonRecord(onlyInBase: $0, of: self) }
      + onlyInCandidate.map { ComparisonRecord(onlyInCandidate: $0, of: self) }
  }
}
