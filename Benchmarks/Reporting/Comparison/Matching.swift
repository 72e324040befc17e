import Charts
import Measurements

/// The rows of both sides of a comparison.
package struct ComparisonSides: Sendable {
  /// The properties that the two rows of a pair share.
  package enum Pairing: Hashable, Sendable {
    /// The whole configuration.
    case wholeConfiguration
    /// Everything except the backend; both rows are from one file, and so from one environment.
    case anyBackend
  }

  package var base: [Measurement]
  package var candidate: [Measurement]
  package let pairing: Pairing

  /// Creates the sides of a comparison of two files.
  package init(base: [Measurement], candidate: [Measurement]) {
    self.base = base
    self.candidate = candidate
    pairing = .wholeConfiguration
  }

  /// Creates the sides of a comparison of one backend with all others in the same file, including
  /// peers and baselines.
  package init(of measurements: [Measurement], againstBackend base: String) {
    self.base = measurements.filter { $0.configuration.backend == base }
    candidate = measurements.filter { $0.configuration.backend != base }
    pairing = .anyBackend
  }

  /// Returns the sides without the rows that lack the metric.
  func measured(_ metric: MetricColumn) -> ComparisonSides {
    var sides = self
    sides.base.removeAll { metric.value(in: $0) == nil }
    sides.candidate.removeAll { metric.value(in: $0) == nil }
    return sides
  }

  /// Returns the aspects that must be equal on both sides.
  func compared(_ terms: ComparisonTerms) -> [Aspect] {
    // Comparisons of two files usually compare two commits.
    Aspect.allCases.filter {
      !terms.allowedDifferences.contains($0) && !$0.isOfWorkload
        && !($0 == .commit && pairing == .wholeConfiguration)
    }
  }
}

/// A property that must be equal in two rows for a comparison. Its raw value is the name of its
/// column, except for `shares`.
package enum Aspect: String, CaseIterable, Sendable {
  case machine, cores, swift
  case mutexFlavor = "mutex_flavor"
  case allocator, configuration, commit, driver
  case requestedSeconds = "requested_seconds"
  case mode
  case targetOperationsPerSecond = "target_ops_per_second"
  /// The operation mix, which identifies workloads called `custom`.
  case shares
  /// The roles of the workers, which determine the operation mix.
  case roles

  /// Returns the row's value as in the file; empty if it is unknown.
  func text(in measurement: Measurement) -> String {
    guard self == .shares else {
      return MeasurementCSV.text(ofColumn: rawValue, in: measurement) ?? ""
    }
    return measurement.configuration.shares.mixText
  }

  /// Whether the aspect identifies a workload rather than an environment. One file may have several
  /// workloads.
  var isOfWorkload: Bool {
    switch self {
    case .driver, .shares, .roles, .mode, .targetOperationsPerSecond: true
    default: false
    }
  }
}

/// An aspect that differs between the sides, but must be equal.
package struct Difference: Hashable, Sendable, CustomStringConvertible {
  package let aspect: Aspect
  package let inBase: [String]
  package let inCandidate: [String]

  package var description: String {
    "\(aspect.rawValue): \(Self.list(inBase)) against \(Self.list(inCandidate))"
  }

  private static func list(_ texts: [String]) -> String {
    texts.map { $0.isEmpty ? "unknown" : $0 }.joined(separator: " and ")
  }
}

/// The pairs of series of two sides with the same configuration.
struct Matching {
  typealias Pair = (base: [Measurement], candidate: [Measurement])

  /// The pairs, in the order of the candidate's rows.
  private(set) var pairs: [Pair] = []
  private(set) var onlyInBase: [[Measurement]] = []
  private(set) var onlyInCandidate: [[Measurement]] = []

  private let sides: ComparisonSides
  private let terms: ComparisonTerms

  init(_ sides: ComparisonSides, _ terms: ComparisonTerms) {
    self.sides = sides
    self.terms = terms
    let bases = Self.series(of: sides.base)
    let candidates = Self.series(of: sides.candidate)
    let ignored = terms.allowedDifferences
    let byKey = Dictionary(grouping: bases) { key(of: $0[0], ignoring: ignored) }
    for candidate in candidates {
      let base = byKey[key(of: candidate[0], ignoring: ignored), default: []].flatMap(\.self)
      if base.isEmpty { onlyInCandidate.append(candidate) } else { pairs.append((base, candidate)) }
    }
    let keys = Set(candidates.map { key(of: $0[0], ignoring: ignored) })
    onlyInBase = bases.filter { !keys.contains(key(of: $0[0], ignoring: ignored)) }
  }

  /// The aspects that must be equal, but differ between the sides or within one side.
  var differences: [Difference] {
    let rows = (base: pairs.flatMap(\.base), candidate: pairs.flatMap(\.candidate))
    let within = terms.allowedDifferences.contains(.commit) ? [] : [Aspect.commit]
    let compared = sides.compared(terms).filter { differs($0, rows, acrossSides: true) }
    let mixed = within.filter {
      !compared.contains($0) && differs($0, rows, acrossSides: false)
    }
    return (compared + mixed).map { difference($0, rows) } + workloadDifferences
  }

  /// The aspects of the workload whose difference alone leaves series without a counterpart: the
  /// driver, the pace, the operation mix or the roles.
  private var workloadDifferences: [Difference] {
    Aspect.allCases.filter { $0.isOfWorkload && !terms.allowedDifferences.contains($0) }
      .compactMap { aspect in
        let ignored = terms.allowedDifferences.union([aspect])
        let bases = Dictionary(grouping: onlyInBase) { key(of: $0[0], ignoring: ignored) }
        let pairs = onlyInCandidate.compactMap { candidate in
          bases[key(of: candidate[0], ignoring: ignored)].map {
            (base: $0[0], candidate: candidate)
          }
        }
        guard !pairs.isEmpty else { return nil }
        return difference(aspect, (pairs.flatMap(\.base), pairs.flatMap(\.candidate)))
      }
  }

  private func differs(_ aspect: Aspect, _ rows: Pair, acrossSides: Bool) -> Bool {
    let (base, candidate) = (Set(rows.base.map(aspect.text)), Set(rows.candidate.map(aspect.text)))
    // Times of a build other than release are meaningless, even if both sides are of that build.
    if aspect == .configuration && !base.union(candidate).isSubset(of: ["release"]) { return true }
    return base.count > 1 || candidate.count > 1 || (acrossSides && base != candidate)
  }

  private func difference(_ aspect: Aspect, _ rows: Pair) -> Difference {
    Difference(
      aspect: aspect, inBase: rows.base.map(aspect.text).withoutRepetitions,
      inCandidate: rows.candidate.map(aspect.text).withoutRepetitions)
  }

  /// Returns the properties that two rows must share: the configuration without the aspects that
  /// may differ.
  private func key(of row: Measurement, ignoring ignored: Set<Aspect>) -> Measurement.Configuration
  {
    var key = row.configuration
    if sides.pairing == .anyBackend { key.backend = "" }
    if ignored.contains(.driver) { key.driver = "" }
    if ignored.contains(.mode) { key.pace.mode = .closed }
    if ignored.contains(.targetOperationsPerSecond) { key.pace.targetOperationsPerSecond = nil }
    let hasRoles = key.roles != nil
    if ignored.contains(.roles) && hasRoles { key.roles = "" }
    if hasRoles || ignored.contains(.shares) && key.workload != "custom" {
      key.shares = Measurement.Shares(read: 0, insert: 0, update: 0, remove: 0, iterate: 0)
    }
    return key
  }

  private static func series(of rows: [Measurement]) -> [[Measurement]] {
    let grouped = Dictionary(grouping: rows, by: \.configuration)
    return rows.map(\.configuration).withoutRepetitions.map { grouped[$0, default: []] }
  }
}
