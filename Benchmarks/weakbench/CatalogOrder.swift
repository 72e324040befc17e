import Benchmarking
import Measurements
import WeakCollections
import Workloads

/// The order of `list`: tables show things in it, whatever order the trials were made in.
enum CatalogOrder {
  static func precedes(_ one: SummaryLine, _ other: SummaryLine) -> Bool {
    place(of: one).lexicographicallyPrecedes(place(of: other))
  }

  /// Collection, workload, size, threads and contestant, as numbers; unknown names come last.
  private static func place(of line: SummaryLine) -> [Int] {
    let configuration = line.configuration
    let collection = CollectionKind(rawValue: configuration.collection)
    let workloads = collection.map { Workload.all(for: $0.subject).map(\.name) } ?? []
    let contestants = collection.map { Contestant.all(for: $0).map(\.name) } ?? []
    return [
      collection.flatMap { CollectionKind.allCases.firstIndex(of: $0) } ?? .max,
      workloads.firstIndex(of: configuration.workload) ?? .max, configuration.size,
      configuration.threads, contestants.firstIndex(of: configuration.backend) ?? .max,
    ]
  }
}
