import Measurements

/// A comparison of two sides in one metric. Each row compares two series.
package struct Comparison: Sendable {
  package let terms: ComparisonTerms
  package let pairing: ComparisonSides.Pairing
  package let rows: [ComparedRow]
  package let onlyInBase: [ComparedSeries]
  package let onlyInCandidate: [ComparedSeries]

  /// The reason why the sides cannot be compared.
  package enum Refusal: Error, Hashable {
    case nothingInCommon(MetricColumn)
    /// The sides differ in aspects that must be equal; `ComparisonTerms` may allow them.
    case different([Difference])
  }

  /// Compares two sides, ignoring the rows that lack the metric.
  package init(_ sides: ComparisonSides, _ terms: ComparisonTerms) throws(Refusal) {
    let measured = sides.measured(terms.metric)
    let matching = Matching(measured, terms)
    let differences = matching.differences
    guard differences.isEmpty else { throw .different(differences) }
    guard !matching.pairs.isEmpty else { throw .nothingInCommon(terms.metric) }

    // Backends of one file compete with each other, as in its table; those of two files do not.
    let isOneFile = sides.pairing == .anyBackend
    let full = [sides.base, sides.candidate].map {
      Series.fullSessions(of: isOneFile ? sides.base + sides.candidate : $0)
    }
    func series(_ rows: [Measurement], of side: Int) -> ComparedSeries? {
      ComparedSeries(rows, terms.metric, over: full[side])
    }
    self.terms = terms
    pairing = sides.pairing
    rows = matching.pairs.compactMap { pair in
      guard let base = series(pair.base, of: 0), let candidate = series(pair.candidate, of: 1)
      else { return nil }
      return ComparedRow(base: base, candidate: candidate, terms)
    }
    onlyInBase = matching.onlyInBase.compactMap { series($0, of: 0) }
    onlyInCandidate = matching.onlyInCandidate.compactMap { series($0, of: 1) }
  }

  /// Returns the number of rows of backends with the verdict. Rows of peers and baselines do not
  /// count.
  package func count(of verdict: Verdict) -> Int {
    rows.count { $0.isSubject && $0.verdict == verdict }
  }

  /// The geometric mean of the backends' ratios; `nil` if there are no ratios, or if one is 0 or
  /// infinite.
  package var geometricMean: Double? {
    Statistics.geometricMean(rows.filter(\.isSubject).map(\.judgment.estimate.ratio))
  }

  /// The backends' series that only the base has, if the sides are two files.
  ///
  /// Their trials in the candidate may have failed.
  package var lostRows: [ComparedSeries] {
    pairing == .wholeConfiguration ? onlyInBase.filter { $0.kind == .subject } : []
  }
}

/// The rules of a comparison.
package struct ComparisonTerms: Hashable, Sendable {
  package var metric = MetricColumn.nanosecondsPerOperation
  package var rule = VerdictRule()
  /// The aspects that may differ between the two sides and within one side.
  package var allowedDifferences: Set<Aspect> = []

  package init() {}
}

/// One row of a comparison: two series that differ only in the compared property.
package struct ComparedRow: Hashable, Sendable {
  package let base: ComparedSeries
  package let candidate: ComparedSeries
  /// The verdict on the candidate, compared with the base.
  package let judgment: Judgment

  init(base: ComparedSeries, candidate: ComparedSeries, _ terms: ComparisonTerms) {
    self.base = base
    self.candidate = candidate
    judgment = terms.rule.judgment(
      on: candidate.values, over: base.values, isSmallerBetter: terms.metric.isSmallerBetter)
  }

  /// The verdict that applies to other sessions too.
  package var verdict: Verdict { judgment.generalVerdict }

  /// The configuration of the candidate.
  package var configuration: Measurement.Configuration { candidate.configuration }

  /// Whether the row counts for the result. Rows of peers and baselines do not.
  package var isSubject: Bool { candidate.kind == .subject }
}

/// One side of a row: the trials of one series, and their values of the metric.
package struct ComparedSeries: Hashable, Sendable {
  package let kind: Measurement.Kind
  package let configuration: Measurement.Configuration
  package let values: SessionValues

  /// Collects the values of `metric`, or returns `nil` if no trial has one.
  ///
  /// - Parameter full: The sessions over which the figure is taken, for each contest.
  init?(
    _ trials: [Measurement], _ metric: MetricColumn, over full: [Series: Set<Measurement.Session>]
  ) {
    guard let first = trials.first, let values = SessionValues(trials, metric) else { return nil }
    kind = first.identity.kind
    configuration = first.configuration
    let contests = Set(trials.map { Series(of: $0).contest })
    self.values = values.compared(over: Set(contests.flatMap { full[$0, default: []] }))
  }
}
