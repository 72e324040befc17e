import BenchmarkCommands
import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

/// What the options of `run` select.
extension Selection {
  static func contestants(
    _ options: RunOptions, of collections: [CollectionKind]
  ) throws(CommandError) -> [Contestant] {
    let all = collections.flatMap { Contestant.all(for: $0) }
    guard let text = options.backend else {
      let standard = all.filter(\.isStandard)
      return options.quick ? standard.filter { $0.kind != .peer } : standard
    }
    return try contestants(named: text, of: collections)
  }

  static func workloads(
    _ options: RunOptions, for collections: [CollectionKind]
  ) throws(CommandError) -> [Workload] {
    if let workloads = try roles(options, for: collections) { return workloads }
    if let text = options.mix {
      guard options.workload == nil else {
        throw .usage("--workload and --mix exclude each other (allowed: one of them)")
      }
      let mix = try mix(text)
      return collections.map { Workload.custom(mix, for: $0.subject) }
    }
    guard let text = options.workload else {
      return collections.flatMap { kind in
        options.quick ? quickWorkloads(for: kind) : Workload.standard(for: kind.subject)
      }
    }
    return try workloads(named: text, for: collections)
  }

  private static func quickWorkloads(for collection: CollectionKind) -> [Workload] {
    let names = StandardMatrix.quickWorkloads(for: collection)
    return Workload.all(for: collection.subject).filter { names.contains($0.name) }
  }
}
