import Measurements

/// Two sides held against each other in one metric, row by row.
package struct Comparison: Sendable {
  package let terms: ComparisonTerms
  package let pairing: ComparisonSides.Pairing
  package let rows: [ComparedRow]
  /// Below which no difference counts; `nil` if neither an A/A run nor the rows say it. Of an A/A run it is
  /// the greatest, as rows have floors of their own then.
  package let noiseFloor: NoiseFloor?
  package let onlyInBase: [ComparedSeries]
  package let onlyInCandidate: [ComparedSeries]

  /// Why there is no comparison.
  package enum Refusal: Error, Hashable {
    case nothingInCommon(MetricColumn)
    /// What must not differ does; `allowing` what, it is compared all the same.
    case different([Difference])
  }

  /// Rows in which the metric was not measured are as if they were not there.
  ///
  /// Every row draws its samples from a copy of the generator, so that it does not matter which others
  /// there are.
  package init(
    _ sides: ComparisonSides, _ terms: ComparisonTerms,
    drawingFrom generator: some RandomNumberGenerator
  ) throws(Refusal) {
    let measured = sides.measured(terms.metric)
    let matching = Matching(measured, terms)
    let differences = matching.differences
    guard differences.isEmpty else { throw .different(differences) }
    guard !matching.pairs.isEmpty else { throw .nothingInCommon(terms.metric) }

    func series(_ rows: [Measurement]) -> ComparedSeries? { ComparedSeries(rows, terms.metric) }
    let pairs: [(base: ComparedSeries, candidate: ComparedSeries)] = matching.pairs.compactMap {
      pair in
      guard let base = series(pair.base), let candidate = series(pair.candidate) else { return nil }
      return (base, candidate)
    }
    let floor =
      terms.measuredNoiseFloor.map(NoiseFloor.init(measured:))
      ?? (terms.measuredNoise == nil ? NoiseFloor(estimatedFrom: pairs) : nil)
    let rows = pairs.compactMap { pair in
      var generator = generator
      return ComparedRow(
        base: pair.base, candidate: pair.candidate, terms.bootstrap, using: &generator)
    }
    self.terms = terms
    pairing = sides.pairing
    self.rows = Self.judged(rows, terms, floor)
    noiseFloor = floor ?? self.rows.compactMap(\.noiseFloor).max { $0.part < $1.part }
    onlyInBase = matching.onlyInBase.compactMap(series)
    onlyInCandidate = matching.onlyInCandidate.compactMap(series)
  }

  private static func judged(
    _ rows: [ComparedRow], _ terms: ComparisonTerms, _ floor: NoiseFloor?
  ) -> [ComparedRow] {
    let adjusted = HolmCorrection.adjusted(rows.map(\.evidence.pValue))
    return zip(rows, adjusted).map { row, pValue in
      var row = row
      row.evidence.adjustedPValue = pValue
      // What processes differ by is in the interval already where it is made of processes.
      let isInInterval = row.comparesProcesses && floor?.source == .betweenProcesses
      row.noiseFloor = isInInterval ? nil : floor ?? terms.measuredNoise?.floor(of: row)
      row.verdict = Verdict(
        of: row.evidence, isSmallerBetter: terms.metric.isSmallerBetter, terms: terms,
        noiseFloor: row.noiseFloor?.part ?? 0)
      return row
    }
  }
}

extension MachineNoise {
  /// For as many processes and trials as the row has.
  fileprivate func floor(of row: ComparedRow) -> NoiseFloor {
    let level = level(forThreads: row.configuration.threads)
    return NoiseFloor(measured: level.floor(row.base.side, row.candidate.side))
  }
}

extension Comparison {
  /// How many rows of ours have the verdict; peers and baselines do not count.
  package func count(of verdict: Verdict) -> Int {
    rows.count { $0.isSubject && $0.verdict == verdict }
  }

  /// What the base has of ours and another file has not: their trials may have failed.
  package var lostRows: [ComparedSeries] {
    pairing == .wholeConfiguration ? onlyInBase.filter { $0.kind == .subject } : []
  }
}

extension ComparisonSides {
  /// The same sides, with the rows alone that have the metric.
  func measured(_ metric: MetricColumn) -> ComparisonSides {
    var sides = self
    sides.base.removeAll { metric.value(in: $0) == nil }
    sides.candidate.removeAll { metric.value(in: $0) == nil }
    return sides
  }
}
