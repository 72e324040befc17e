import Benchmarking
import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

extension ReportCatalog {
  /// Everything that `run` can be asked for, in the order of `list`.
  static var ours: ReportCatalog {
    let contestants = CollectionKind.allCases.flatMap { Contestant.all(for: $0) }
    func names(_ isWanted: (Contestant) -> Bool) -> [String] {
      contestants.filter(isWanted).map(\.name).withoutRepetitions
    }
    return ReportCatalog(
      collections: CollectionKind.allCases.map(\.rawValue),
      workloads: Dictionary(
        uniqueKeysWithValues: CollectionKind.allCases.map { collection in
          (collection.rawValue, Workload.all(for: collection.subject).map(\.name))
        }),
      // Not in the order of a collection: some have fewer.
      backends: Backend.allCases.map(\.rawValue),
      peers: names { $0.kind == .peer && !$0.isPublishedDesign },
      publishedDesigns: names(\.isPublishedDesign), baselines: names { $0.kind == .baseline })
  }
}
