import Measurements

/// The rows that are to be held against each other.
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

  /// What must be the same on both sides.
  func compared(_ terms: ComparisonTerms) -> [Aspect] {
    // Another commit is what most files are compared for.
    Aspect.allCases.filter {
      !terms.allowedDifferences.contains($0) && !$0.isOfWorkload
        && !($0 == .commit && pairing == .wholeConfiguration)
    }
  }
}
