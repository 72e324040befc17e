import Measurements

/// One row of a comparison: two series that differ in nothing but what is compared.
package struct ComparedRow: Hashable, Sendable {
  package let base: ComparedSeries
  package let candidate: ComparedSeries
  package internal(set) var evidence: Evidence
  /// Below which no difference counts; `nil` if nobody knows it.
  package internal(set) var noiseFloor: NoiseFloor?
  package internal(set) var verdict = Verdict.undecided

  /// The candidate's.
  package var configuration: Measurement.Configuration { candidate.configuration }

  /// Whether it counts for the whole: peers and baselines are not ours to get worse.
  package var isSubject: Bool { candidate.kind == .subject }

  /// Whether the values compared are medians of processes rather than trials.
  package var comparesProcesses: Bool { ComparedSeries.comparesProcesses(base, candidate) }

  /// `nil` if a side has no values.
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
