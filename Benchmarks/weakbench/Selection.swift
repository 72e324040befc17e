import Benchmarking
import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

/// The names that somebody typed, found among those that there are.
enum Selection {
  static func collections(
    _ text: String?, otherwise standard: [CollectionKind] = StandardMatrix.collections
  ) throws(CommandError) -> [CollectionKind] {
    guard let text else { return standard }
    let allowed = CollectionKind.allCases.map(\.rawValue)
    var found: [CollectionKind] = []
    for name in try OptionText.names(in: text, option: "--collection", allowed: allowed) {
      guard let collection = CollectionKind(rawValue: name) else {
        throw .unknown("collection", name, allowed: allowed)
      }
      found.append(collection)
    }
    return found
  }

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

  static func contestants(
    named text: String, of collections: [CollectionKind]
  ) throws(CommandError) -> [Contestant] {
    let all = collections.flatMap { Contestant.all(for: $0) }
    let allowed = all.map(\.name).withoutRepetitions
    let names = try OptionText.names(in: text, option: "--backend", allowed: allowed)
    if let name = names.first(where: { !allowed.contains($0) }) {
      throw .unknown("backend", name, allowed: allowed)
    }
    return all.filter { names.contains($0.name) }
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

  static func workloads(
    named text: String, for collections: [CollectionKind]
  ) throws(CommandError) -> [Workload] {
    let all = collections.flatMap { Workload.all(for: $0.subject) }
    let allowed = all.map(\.name).withoutRepetitions
    let names = try OptionText.names(in: text, option: "--workload", allowed: allowed)
    if let name = names.first(where: { !allowed.contains($0) }) {
      guard collections.count > 1 else {
        let subject = collections[0].subject
        throw .usage("\(WorkloadError.unknownWorkload(name, subject: subject))")
      }
      throw .unknown("workload", name, allowed: allowed)
    }
    return all.filter { names.contains($0.name) }
  }

  static func nothingToRun(
    _ contestants: [Contestant], _ workloads: [Workload], _ driver: Driver = .threads
  ) -> CommandError {
    let supported = contestants.map { contestant in
      let workloads = Workload.all(for: contestant.collection.subject).filter(contestant.supports)
      return "\(contestant.collection.rawValue) \(contestant.name): "
        + workloads.map(\.name).joined(separator: ", ")
    }
    let asked = workloads.map(\.name).withoutRepetitions.joined(separator: ", ")
    return .usage(
      "nothing supports \(asked) on \(driver.rawValue) (allowed: \(supported.joined(separator: "; ")))"
    )
  }

  private static func quickWorkloads(for collection: CollectionKind) -> [Workload] {
    let names = StandardMatrix.quickWorkloads(for: collection)
    return Workload.all(for: collection.subject).filter { names.contains($0.name) }
  }

  static func mix(_ text: String) throws(CommandError) -> OperationMix {
    do {
      return try OperationMix(parsing: text)
    } catch {
      throw .usage("--mix: \(error)")
    }
  }
}
