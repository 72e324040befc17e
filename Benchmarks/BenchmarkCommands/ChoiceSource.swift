import ArgumentParser
import Benchmarking
import Choosing
import Measurements
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The measurements that `choose` answers from.
package struct ChoiceSource {
  package let calibration: Calibration
  /// Where they were made or, of those compiled in, where the program runs.
  package let key: CalibrationKey
  /// The rows; none of what is compiled in.
  private let rows: [(row: String, sample: CostSample)]

  package static let noRows = CommandError(
    status: .badData, description: "no row of a release build of a backend")

  /// What is compiled in, for where the program runs.
  private static var compiled: ChoiceSource {
    ChoiceSource(calibration: .compiled, key: .current, rows: [])
  }

  private init(
    calibration: Calibration, key: CalibrationKey, rows: [(row: String, sample: CostSample)]
  ) {
    self.calibration = calibration
    self.key = key
    self.rows = rows
  }

  /// Rows of release builds or, with nil, what is compiled in; of rows made on several numbers of cores those on
  /// `cores`.
  package init(
    _ measurements: [Measurement]?, _ selection: RowSelection, cores: Int?
  ) throws(CommandError) {
    guard let measurements else {
      guard selection.isEmpty else {
        throw .usage("there are no rows to select (allowed: --machine and the like with CSV files)")
      }
      self = .compiled
      return
    }
    let costs = measurements.filter { CostRows.isCost($0) }
    let onCores = costs.filter { $0.environment.cores == cores }
    let chosen = try selection.applied(to: onCores.isEmpty ? costs : onCores)
    let rows = chosen.compactMap { row in
      CostSample(row, build: row.environment.buildConfiguration).map {
        (row: row.identity.row, sample: $0)
      }
    }
    guard let first = rows.first else { throw Self.noRows }
    self.init(
      calibration: Calibration(rows.map(\.sample)), key: first.sample.key, rows: rows)
  }

  /// What its rows say; nothing of what is compiled in.
  package var samples: [CostSample] { rows.map(\.sample) }

  /// A calibration from some points' rows alone.
  package func calibration(where isWanted: (GridPoint) -> Bool) -> Calibration {
    Calibration(samples.filter { isWanted($0.point) })
  }

  /// The rows of those points.
  package func rows(of points: [GridPoint]) -> [String] {
    let points = Set(points)
    return rows.filter { points.contains($0.sample.point) }.map(\.row)
  }
}

/// Rows that say what a backend costs.
package enum CostRows {
  /// How a benchmark must have been built for decisions.
  package static let fitBuild = "release"

  /// Whether it would be a cost if it were of a fit build.
  package static func isCost(_ row: Measurement) -> Bool {
    CostSample(row, build: row.environment.buildConfiguration) != nil
  }
}

extension CostSample {
  /// What a row says of a backend's cost; nil for rows of peers, baselines and builds not fit to measure,
  /// and for those that answer another question: workers with roles, or without threads of their own,
  /// and open loops.
  package init?(_ measurement: Measurement, build: String = CostRows.fitBuild) {
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

extension Measurement.Environment {
  /// The last word of the kernel's column, which is written as `uname -srm` says it.
  package var architecture: String? {
    kernel?.split(separator: " ").last.map(String.init)
  }
}

extension Measurement.Configuration {
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

/// Below which difference of two medians costs are noise: as given, else as an A/A run beside the rows says of so
/// many threads and trials, else the standard.
package enum CostNoise {
  case given(Double)
  case measured(MachineNoise, MachineNoise.Level.Side)
  case standard

  /// - Parameter share: the part of a series' trials that a median is of.
  package init(
    _ option: NoiseFloorOption, beside files: [String], _ rows: [Measurement],
    of objective: CostObjective = .throughput, share: Double = 1
  ) throws(CommandError) {
    if let part = try option.part() {
      self = .given(part)
    } else if let noise = try NoiseFile.noise(beside: files, for: rows, objective.metric),
      let side = MachineNoise.Level.Side(leastOf: rows, objective.metric)
    {
      self = .measured(noise, side.part(share))
    } else {
      self = .standard
    }
  }

  package func floor(threads: Int) -> Double {
    switch self {
    case .given(let part): part
    case .measured(let noise, let side): noise.level(forThreads: threads).floor(side, side)
    case .standard: Chooser.standardNoiseFloor
    }
  }

  /// Where the floor comes from, for people.
  package var origin: String {
    switch self {
    case .given: "given"
    case .measured: "measured by the A/A run beside the rows"
    case .standard: "the standard one, of a quiet machine"
    }
  }
}

extension CostObjective {
  fileprivate var metric: MetricColumn {
    switch self {
    case .throughput: .nanosecondsPerOperation
    case .p99: .p99
    case .bytes: .liveBytesPerEntry
    }
  }
}

/// Below which difference nobody is cheaper.
package struct NoiseFloorOption: ParsableArguments {
  @Option(
    help:
      "Below which difference costs are noise. (default: by the A/A run in rows.noise.csv beside rows.csv; else 5%)"
  )
  package var noiseFloor: String?

  package init() {}

  package var isEmpty: Bool { noiseFloor == nil }

  /// Nil if nothing was said.
  package func part() throws(CommandError) -> Double? {
    try noiseFloor.map { text throws(CommandError) in
      try OptionText.part(text, option: "--noise-floor")
    }
  }
}
