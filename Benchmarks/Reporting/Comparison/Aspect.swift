import Measurements

/// What must be the same for two rows to be held against each other; named as its column.
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

/// An aspect in which rows differ that must not.
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
