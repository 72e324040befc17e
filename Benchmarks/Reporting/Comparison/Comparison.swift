import Measurements

/// A comparison of two sides in one metric, row by row.
package struct Comparison: Sendable {
  package let terms: ComparisonTerms
  package let pairing: ComparisonSides.Pairing
  package let rows: [ComparedRow]
  /// The noise floor, below which differences do not count; `nil` if neither an A/A run nor the
  /// rows determine it.
  ///
  /// With an A/A run, each row has its own floor, and this is the greatest.
  package let noiseFloor: NoiseFloor?
  package let onlyInBase: [ComparedSeries]
  package let onlyInCandidate: [ComparedSeries]

  /// The reason why the sides cannot be compared.
  package enum Refusal: Error, Hashable {
    case nothingInCommon(MetricColumn)
    /// The sides differ in aspects that must be equal; `ComparisonTerms` may allow them.
    case different([Difference])
  }

  /// Compares two sides, without the rows that lack the metric.
  ///
  /// Every row draws its samples from a copy of the generator, so that its figures do not depend on
  /// other rows.
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
      // An interval of processes already contains the differences between processes.
      let isInInterval = row.comparesProcesses && floor?.source == .betweenProcesses
      row.noiseFloor = isInInterval ? nil : floor ?? terms.measuredNoise?.floor(of: row)
      row.verdict = Verdict(
        of: row.evidence, isSmallerBetter: terms.metric.isSmallerBetter, terms: terms,
        noiseFloor: row.noiseFloor?.part ?? 0)
      return row
    }
  }

  /// Returns the number of backends' rows with the verdict; peers and baselines do not count.
  package func count(of verdict: Verdict) -> Int {
    rows.count { $0.isSubject && $0.verdict == verdict }
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
  /// The largest difference that counts as the same.
  package var threshold = Threshold(0.05)
  /// The allowed probability of a false "better" or "worse" among all rows.
  package var significance = 0.05
  package var bootstrap = Bootstrap()
  /// A noise floor that the user states; it overrides `measuredNoise`.
  package var measuredNoiseFloor: Double?
  /// The noise in an A/A run of this machine; without it, the rows' own spread is the estimate.
  package var measuredNoise: MachineNoise?
  /// The aspects that may differ between the sides, and within one.
  package var allowedDifferences: Set<Aspect> = []

  package init() {}

  /// Returns the number of trials per side that a verdict "better" or "worse" needs among `rows`
  /// rows.
  package func trialsNeeded(forRows rows: Int) -> Int {
    var trials = Bootstrap.valuesNeeded
    while MannWhitneyTest.leastPValue(trials, trials) * Double(rows) > significance { trials += 1 }
    return trials
  }
}

/// The fraction by which a ratio may differ from 1: 0.05 is 5 %.
package struct Threshold: Hashable, Sendable {
  package let part: Double

  /// Creates a threshold; traps unless `part` is finite and at least 0.
  package init(_ part: Double) {
    precondition(
      part >= 0 && part.isFinite, "a threshold must be finite and at least 0, got \(part)")
    self.part = part
  }

  /// The ratios within the threshold, such as 1 ÷ 1.05 to 1.05.
  ///
  /// It is symmetric: the choice of the base, and of time or rate, does not matter.
  package var span: ClosedRange<Double> { 1 / (1 + part)...(1 + part) }
}

/// One row of a comparison: two series that differ only in the compared property.
package struct ComparedRow: Hashable, Sendable {
  package let base: ComparedSeries
  package let candidate: ComparedSeries
  package internal(set) var evidence: Evidence
  /// The noise floor, below which differences do not count; `nil` if it is unknown.
  package internal(set) var noiseFloor: NoiseFloor?
  package internal(set) var verdict = Verdict.undecided

  /// The configuration of the candidate.
  package var configuration: Measurement.Configuration { candidate.configuration }

  /// Whether the row counts for the result; those of peers and baselines do not.
  package var isSubject: Bool { candidate.kind == .subject }

  /// Whether the compared values are medians of processes, rather than trials.
  package var comparesProcesses: Bool { ComparedSeries.comparesProcesses(base, candidate) }

  /// Compares two series, or returns `nil` if a side has no values.
  init?(
    base: ComparedSeries, candidate: ComparedSeries, _ bootstrap: Bootstrap,
    using generator: inout some RandomNumberGenerator
  ) {
    let comparesProcesses = ComparedSeries.comparesProcesses(base, candidate)
    let sides = [candidate, base].map { comparesProcesses ? $0.mediansOfProcesses : $0.all }
    guard let evidence = Evidence(sides[0], over: sides[1], bootstrap, using: &generator) else {
      return nil
    }
    self.base = base
    self.candidate = candidate
    self.evidence = evidence
  }
}

/// One side of a row: the trials of one series, and their values of the metric.
package struct ComparedSeries: Hashable, Sendable {
  package let kind: Measurement.Kind
  package let configuration: Measurement.Configuration
  private let values: ProcessValues

  /// Collects the values of `metric`, or returns `nil` if no trial has one.
  init?(_ trials: [Measurement], _ metric: MetricColumn) {
    guard let first = trials.first, let values = ProcessValues(trials, metric) else { return nil }
    kind = first.identity.kind
    configuration = first.configuration
    self.values = values
  }

  package var trials: Int { values.trials }
  package var processes: Int { values.processes }
  package var all: [Double] { values.all }
  package var median: Double { values.median }
  var mediansOfProcesses: [Double] { values.mediansOfProcesses }
  var side: MachineNoise.Level.Side { .init(processes: processes, trials: trials) }

  /// Returns whether each process counts as one value, which needs enough processes on both sides.
  ///
  /// With fewer, each trial is a value, and the noise floor covers the differences between
  /// processes.
  static func comparesProcesses(_ one: ComparedSeries, _ other: ComparedSeries) -> Bool {
    one.values.hasManyProcesses && other.values.hasManyProcesses
  }
}

/// The statistics of the ratio of two sides.
package struct Evidence: Hashable, Sendable {
  package let baseMedian: Double
  package let candidateMedian: Double
  /// The median of the candidate divided by that of the base; infinite if only the base's is 0.
  package let ratio: Double
  /// The confidence interval of the ratio, or `nil` for too few values.
  package let interval: ClosedRange<Double>?
  /// Cliff's delta, above 0 if the candidate's values are greater; see `CliffsDelta`.
  package let cliffsDelta: Double
  package let pValue: Double
  /// The p-value, adjusted for the number of rows; see `HolmCorrection`.
  package internal(set) var adjustedPValue: Double

  /// Computes the statistics, or returns `nil` if a side has no values.
  init?(
    _ candidate: [Double], over base: [Double], _ bootstrap: Bootstrap,
    using generator: inout some RandomNumberGenerator
  ) {
    guard
      let test = MannWhitneyTest(candidate, base),
      let delta = CliffsDelta.of(candidate, over: base),
      let upper = Statistics.median(candidate), let lower = Statistics.median(base)
    else { return nil }
    baseMedian = lower
    candidateMedian = upper
    ratio = Ratio.of(upper, to: lower)
    interval = bootstrap.interval(ofRatioOf: candidate, to: base, using: &generator)
    cliffsDelta = delta
    pValue = test.pValue
    adjustedPValue = test.pValue
  }
}

/// The verdict on one row.
package enum Verdict: String, CaseIterable, Sendable {
  case better, same, worse
  /// The trials are inconclusive.
  case undecided

  /// Judges a row.
  ///
  /// - Same: the whole interval of the ratio is within the threshold, and so is the noise floor. A
  ///   difference that is significant but small counts as the same.
  /// - Better or worse: the whole interval is on one side of 1 and outside the noise floor, and the
  ///   test is significant after the correction for all rows.
  /// - Undecided: otherwise.
  init(of evidence: Evidence, isSmallerBetter: Bool, terms: ComparisonTerms, noiseFloor: Double) {
    guard let interval = evidence.interval else {
      self = .undecided
      return
    }
    let isNear =
      terms.threshold.span.contains(interval.lowerBound)
      && terms.threshold.span.contains(interval.upperBound)
    let isFound = evidence.adjustedPValue <= terms.significance
    let noise = Threshold(noiseFloor).span
    if isNear && noiseFloor <= terms.threshold.part {
      self = .same
    } else if isFound && interval.lowerBound > noise.upperBound {
      self = isSmallerBetter ? .worse : .better
    } else if isFound && interval.upperBound < noise.lowerBound {
      self = isSmallerBetter ? .better : .worse
    } else {
      self = .undecided
    }
  }
}
