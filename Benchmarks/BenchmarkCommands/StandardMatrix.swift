import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

/// What is run when nothing is asked for, and what `--quick` runs.
package enum StandardMatrix {
  /// Those that the chooser chooses for; others only when they are named.
  package static let collections: [CollectionKind] = [.weakArray, .dictionary]
  package static let trials = 3
  package static let seconds = 0.44
  package static let size = 1024

  package static let quickTrials = 2
  package static let quickSeconds = 0.25
  package static let quickThreads = [1, 4]

  /// Below, at and beyond the cores: contention changes its nature there.
  package static func threads(usableCores cores: Int) -> [Int] {
    [1, cores, 2 * cores, 4 * cores].withoutRepetitions
  }

  /// Beyond the cores an open loop shows how the system shares them out.
  package static func openLoopThreads(usableCores cores: Int, isQuick: Bool) -> [Int] {
    isQuick ? [cores] : [1, cores].withoutRepetitions
  }

  /// Peers and baselines only give the scale: with one thread and with one on each core.
  package static func includes(
    _ kind: Measurement.Kind, threads: Int, usableCores cores: Int
  ) -> Bool {
    kind == .subject || threads == 1 || threads == cores
  }

  /// Mostly reading, mostly writing, and what the collection is there for.
  package static func quickWorkloads(for collection: CollectionKind) -> [String] {
    switch collection {
    case .weakArray: ["read-heavy", "exchange", "churn"]
    case .dictionary: ["read-heavy", "exchange", "get-or-insert"]
    case .weakSet: ["mixed", "exchange", "churn"]
    }
  }

  /// A tenth of a second at the standard half: long enough for caches, tables and threads.
  package static func warmupSeconds(forSeconds seconds: Double) -> Double {
    min(1, max(0.05, seconds / 5))
  }
}

extension CollectionKind {
  package var subject: WorkloadSubject {
    switch self {
    case .weakArray: .weakArray
    case .dictionary: .dictionary
    case .weakSet: .weakSet
    }
  }
}
