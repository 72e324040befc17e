import Benchmarking
import Choosing
import Measurements
import WeakCollections
import Workloads

extension CostSample {
  /// What a row says of a backend's cost; nil for rows of peers, baselines and builds not fit to measure,
  /// and for those that answer another question: workers with roles, or without threads of their own,
  /// and open loops.
  package init?(_ measurement: Measurements.Measurement, build: String = CostRows.fitBuild) {
    let environment = measurement.environment
    let configuration = measurement.configuration
    guard measurement.identity.kind == .subject, environment.buildConfiguration == build,
      configuration.pace.mode == .closed,
      configuration.roles == nil, configuration.driver == Driver.threads.rawValue,
      let backend = Backend(rawValue: configuration.backend),
      let collection = CollectionKind(rawValue: configuration.collection),
      configuration.hasUsualEntries, let mutexFlavor = environment.mutexFlavor,
      let architecture = environment.architecture
    else { return nil }
    let shares = configuration.shares
    self.init(
      key: CalibrationKey(
        compiler: String(environment.swift.drop { !$0.isNumber }), mutexFlavor: mutexFlavor,
        architecture: architecture, cores: environment.cores),
      point: GridPoint(
        collection: collection, workload: configuration.workload,
        shares: OperationShares(
          read: Double(shares.read), insert: Double(shares.insert),
          update: Double(shares.update), remove: Double(shares.remove),
          iterate: Double(shares.iterate)),
        isPureMix: configuration.isPureMix, threads: configuration.threads, size: configuration.size
      ),
      backend: backend,
      nanosecondsPerOperation: measurement.throughput.nanosecondsPerOperation,
      p99Nanoseconds: measurement.latency.p99Nanoseconds,
      bytesPerEntry: measurement.bytes.livePerEntry)
  }
}

extension Measurements.Measurement.Environment {
  /// The last word of the kernel's column, which is written as `uname -srm` says it.
  package var architecture: String? {
    kernel?.split(separator: " ").last.map(String.init)
  }
}

extension Measurements.Measurement.Configuration {
  /// A profile says nothing of keys and values, and what is compiled in is of integers, drawn evenly.
  fileprivate var hasUsualEntries: Bool {
    keyType == nil
      || keyType == "Int" && valueType == "Int" && [nil, "uniform"].contains(keyDistribution)
  }

  /// Whether the workload does nothing but draw operations; of a name that is not known any more nobody can say.
  fileprivate var isPureMix: Bool {
    guard workload != Workload.customName else { return true }
    let subject = WorkloadSubject(rawValue: collection)
    return subject.flatMap { try? Workload.named(workload, for: $0) }?.isPureMix == true
  }
}

extension OperationShares {
  package init(_ mix: OperationMix) {
    self.init(
      read: Double(mix.read), insert: Double(mix.insert), update: Double(mix.update),
      remove: Double(mix.remove), iterate: Double(mix.iterate))
  }
}
