import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The contestants and workloads that the options of `run` select.
extension Selection {
  static func contestants(
    _ options: RunOptions, of collections: [CollectionKind]
  ) throws(CommandError) -> [Contestant] {
    let all = collections.flatMap { Contestant.all(for: $0) }
    guard let text = options.backend else {
      let standard = all.filter(\.isStandard)
      return options.quick ? standard.filter { $0.kind != .peer || $0.isCustom } : standard
    }
    return try contestants(named: text, of: collections)
  }

  static func workloads(
    _ options: RunOptions, for collections: [CollectionKind]
  ) throws(CommandError) -> [Workload] {
    if let workloads = try roles(options, for: collections) { return workloads }
    if let mix = try options.operations.operationMix(unless: options.workload) {
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

  /// Returns the workloads with the requested types and distributions of keys and values.
  static func keyed(
    _ workloads: [Workload], _ options: RunOptions
  ) throws(CommandError) -> [Workload] {
    let asked = [
      ("--keys", options.operations.keys), ("--values", options.operations.values),
      ("--key-distribution", options.keyDistribution),
    ]
    guard let option = asked.first(where: { $0.1 != nil })?.0 else { return workloads }
    guard workloads.allSatisfy({ $0.subject == .dictionary }) else {
      throw .usage("\(option) is for dictionaries (allowed: with --collection dictionary)")
    }
    let types = try options.operations.entryTypes()
    guard let text = options.keyDistribution else { return workloads.map { $0.on(types) } }
    let distributions = try distributions(text)
    return workloads.flatMap { workload in
      distributions.map { workload.on(types).drawing($0) }
    }
  }

  private static func distributions(_ text: String) throws(CommandError) -> [KeyDistribution] {
    let allowed = KeyDistribution.standard.map(\.description)
    let names = try OptionText.names(in: text, option: "--key-distribution", allowed: allowed)
    var found: [KeyDistribution] = []
    for name in names {
      do {
        found.append(try KeyDistribution(parsing: name))
      } catch {
        throw .usage("--key-distribution: \(error)")
      }
    }
    return found.withoutRepetitions
  }
}

/// The workers that the options of `run` select.
extension Selection {
  /// Returns the workload of `--roles` for each collection, or `nil` without the option.
  static func roles(
    _ options: RunOptions, for collections: [CollectionKind]
  ) throws(CommandError) -> [Workload]? {
    guard let text = options.roles else { return nil }
    let others = [
      ("--workload", options.workload), ("--mix", options.operations.mix),
      ("--reads", options.operations.reads), ("--threads", options.threads),
    ]
    if let other = others.first(where: { $0.1 != nil })?.0 {
      throw .usage("--roles and \(other) exclude each other (allowed: one of them)")
    }
    do {
      let roles = try Role.roles(parsing: text)
      return collections.map { Workload.roles(roles, for: $0.subject) }
    } catch {
      throw .usage("--roles: \(error)")
    }
  }

  static func driver(_ options: RunOptions) throws(CommandError) -> Driver {
    guard let name = options.driver else { return .threads }
    guard let driver = Driver(rawValue: name) else {
      throw .unknown("driver", name, allowed: Driver.allCases.map(\.rawValue))
    }
    return driver
  }
}
