import Charts
import Measurements

/// The rows of both sides of a comparison.
package struct ComparisonSides: Sendable {
  /// What rows of two sides have in common.
  package enum Pairing: Hashable, Sendable {
    /// Everything that was measured.
    case wholeConfiguration
    /// Everything but the backend, and where it was measured down to the commit: both come from one file.
    case anyBackend
  }

  package var base: [Measurement]
  package var candidate: [Measurement]
  package let pairing: Pairing

  /// What a baseline file has, and what is now.
  package init(base: [Measurement], candidate: [Measurement]) {
    self.base = base
    self.candidate = candidate
    pairing = .wholeConfiguration
  }

  /// One backend of a file, and all others, peers and baselines included.
  package init(of measurements: [Measurement], againstBackend base: String) {
    self.base = measurements.filter { $0.configuration.backend == base }
    candidate = measurements.filter { $0.configuration.backend != base }
    pairing = .anyBackend
  }

  /// The same sides, without the rows that lack the metric.
  func measured(_ metric: MetricColumn) -> ComparisonSides {
    var sides = self
    sides.base.removeAll { metric.value(in: $0) == nil }
    sides.candidate.removeAll { metric.value(in: $0) == nil }
    return sides
  }

  /// The aspects that must be equal on both sides.
  func compared(_ terms: ComparisonTerms) -> [Aspect] {
    // Another commit is what most files are compared for.
    Aspect.allCases.filter {
      !terms.allowedDifferences.contains($0) && !$0.isOfWorkload
        && !($0 == .commit && pairing == .wholeConfiguration)
    }
  }
}

/// A property that must be equal in two rows for a comparison; named like its column.
package enum Aspect: String, CaseIterable, Sendable {
  case machine, cores, swift
  case mutexFlavor = "mutex_flavor"
  case allocator, configuration, commit, driver
  case requestedSeconds = "requested_seconds"
  case mode
  case targetOperationsPerSecond = "target_ops_per_second"
  /// The operation mix. Of workloads called `custom` it is the name.
  case shares
  /// Which workers do what; the operation mix follows from it.
  case roles

  /// What the row has, as the file has it; empty for what is not known.
  func text(in measurement: Measurement) -> String {
    guard self == .shares else {
      return MeasurementCSV.text(ofColumn: rawValue, in: measurement) ?? ""
    }
    return measurement.configuration.shares.mixText
  }

  /// Part of which rows belong together, rather than of where they were measured: one file may hold several.
  var isOfWorkload: Bool {
    switch self {
    case .driver, .shares, .roles, .mode, .targetOperationsPerSecond: true
    default: false
    }
  }
}

/// An aspect in which the sides differ and must not.
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

  /// In the order of the candidate's rows.
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

  /// In what the sides, or the rows of one, differ though they must not.
  var differences: [Difference] {
    let rows = (base: pairs.flatMap(\.base), candidate: pairs.flatMap(\.candidate))
    let within = terms.allowedDifferences.contains(.commit) ? [] : [Aspect.commit]
    let compared = sides.compared(terms).filter { differs($0, rows, acrossSides: true) }
    let mixed = within.filter {
      !compared.contains($0) && differs($0, rows, acrossSides: false)
    }
    return (compared + mixed).map { difference($0, rows) } + workloadDifferences
  }

  /// Series without a counterpart that would have one, were it not for the driver, the pace or the operation mix.
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
    // Times of other builds mean nothing, though both sides have them.
    if aspect == .configuration && !base.union(candidate).isSubset(of: ["release"]) { return true }
    return base.count > 1 || candidate.count > 1 || (acrossSides && base != candidate)
  }

  private func difference(_ aspect: Aspect, _ rows: Pair) -> Difference {
    Difference(
      aspect: aspect, inBase: rows.base.map(aspect.text).withoutRepetitions,
      inCandidate: rows.candidate.map(aspect.text).withoutRepetitions)
  }

  /// What rows must share to be compared: the configuration without what may differ.
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
