import BenchmarkCommands
import Benchmarking
import Measurements
import WeakCollections
import Workloads

/// The order of `list`: tables show things in it, whatever order the trials were made in.
enum CatalogOrder {
  /// By collection, workload and size; then by threads and contestant, or the other way round; then by load.
  static func sorted(_ lines: [SummaryLine], threadsFirst: Bool) -> [SummaryLine] {
    let places = lines.map { place(of: $0.configuration, threadsFirst: threadsFirst) }
    return zip(places, lines).sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
  }

  /// By collection, workload and size, then by threads and contestant.
  static func sorted(_ rows: [Measurements.Measurement]) -> [Measurements.Measurement] {
    let configurations = Set(rows.map(\.configuration))
    let places = Dictionary(
      uniqueKeysWithValues: configurations.map { ($0, place(of: $0, threadsFirst: true)) })
    return rows.enumerated().sorted { one, other in
      // The order of rows of one place stays.
      (places[one.element.configuration, default: []] + [one.offset])
        .lexicographicallyPrecedes(
          places[other.element.configuration, default: []] + [other.offset])
    }.map(\.element)
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
      workloads.firstIndex(of: configuration.workload) ?? .max,
      configuration.unusualEntries.count, configuration.size,
      threadsFirst ? configuration.threads : contestant,
      threadsFirst ? contestant : configuration.threads,
      configuration.pace.loadPercent ?? 0,
      // No target that anybody means is as large; a file may say anything.
      Int(min(configuration.pace.targetOperationsPerSecond ?? 0, 1e15)),
    ]
  }
}
