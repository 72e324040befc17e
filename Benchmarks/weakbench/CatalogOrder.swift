import Benchmarking
import Measurements
import WeakCollections
import Workloads

/// The order of `list`: tables show things in it, whatever order the trials were made in.
enum CatalogOrder {
  /// By collection, workload and size; then by threads and contestant, or the other way round.
  static func sorted(_ lines: [SummaryLine], threadsFirst: Bool) -> [SummaryLine] {
    let places = lines.map { place(of: $0.configuration, threadsFirst: threadsFirst) }
    return zip(places, lines).sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
  }

  /// Unknown names come last.
  private static func place(
    of configuration: Measurement.Configuration, threadsFirst: Bool
  ) -> [Int] {
    let collection = CollectionKind(rawValue: configuration.collection)
    let workloads = collection.map { Workload.all(for: $0.subject).map(\.name) } ?? []
    let contestants = collection.map { Contestant.all(for: $0).map(\.name) } ?? []
    let contestant = contestants.firstIndex(of: configuration.backend) ?? .max
    return [
      collection.flatMap { CollectionKind.allCases.firstIndex(of: $0) } ?? .max,
      workloads.firstIndex(of: configuration.workload) ?? .max, configuration.size,
      threadsFirst ? configuration.threads : contestant,
      threadsFirst ? contestant : configuration.threads,
    ]
  }
}
