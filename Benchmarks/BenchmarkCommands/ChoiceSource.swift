import ArgumentParser
import Benchmarking
import Charts
import Choosing
import Measurements
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The measurements on which `choose` bases its answer.
package struct ChoiceSource {
  package let calibration: Calibration
  /// The environment of the rows or, for the compiled-in calibration, of this process.
  package let key: CalibrationKey
  /// The origin of the measurements in words.
  package let origin: String
  /// The types of the keys and values in the measurements of dictionaries.
  package let types: EntryTypes
  /// The rows; empty for the compiled-in calibration.
  private let rows: [Row]

  /// A row with the costs of a backend.
  private struct Row {
    let row: String
    let session: Measurement.Session
    let trial: Int
    let sample: CostSample
  }

  package static let noRows = CommandError(
    status: .badData,
    description: "the files have no row of a release build of a backend; "
      + "measure some with `swift run -c release weakbench run`")

  /// The compiled-in calibration, for the environment of this process.
  private static var compiled: ChoiceSource {
    ChoiceSource(
      calibration: .compiled, key: .current, origin: "compiled-in calibration",
      types: .integerToInteger, rows: [])
  }

  private init(
    calibration: Calibration, key: CalibrationKey, origin: String, types: EntryTypes, rows: [Row]
  ) {
    self.calibration = calibration
    self.key = key
    self.origin = origin
    self.types = types
    self.rows = rows
  }

  /// Selects the rows that count.
  ///
  /// - Parameters:
  ///   - measurements: The rows, or `nil` for the compiled-in calibration.
  ///   - selection: The options that select rows.
  ///   - cores: The option for the number of cores to select.
  ///   - types: The types of the keys and values of dictionaries; others if no row has them.
  /// - Throws: A usage error for a selection without rows, and an error for malformed data if no
  ///   row counts, or the rows cannot be used together.
  package init(
    _ measurements: [Measurement]?, _ selection: RowSelection,
    cores: RowSelection.CoresOption = .missing, types: EntryTypes = .integerToInteger
  ) throws(CommandError) {
    guard let measurements else {
      try selection.refuseWithoutRows()
      self = .compiled
      return
    }
    let types =
      ([types] + EntryTypes.allCases).first { candidate in
        measurements.contains { CostRows.isCost($0, candidate) }
      } ?? types
    let costs = measurements.filter { CostRows.isCost($0, types) }
    let chosen = try selection.applied(to: costs, cores: cores)
    let rows = chosen.compactMap { row in
      CostSample(row, build: row.environment.buildConfiguration, types).map {
        Row(
          row: row.identity.row, session: row.session, trial: row.trial.number, sample: $0)
      }
    }
    guard let first = rows.first else { throw Self.noRows }
    self.init(
      calibration: Calibration(rows.map(\.sample)), key: first.sample.key,
      origin: "rows of \(chosen[0].environment.machine)", types: types, rows: rows)
  }

  /// The costs in the rows; empty for the compiled-in calibration.
  package var samples: [CostSample] { rows.map(\.sample) }

  /// Returns a calibration from the rows of some points only.
  package func calibration(where isWanted: (GridPoint) -> Bool) -> Calibration {
    Calibration(samples.filter { isWanted($0.point) })
  }

  /// The comparison of the backends for a question.
  package struct Comparison {
    package let contest: Contest<Backend>
    /// Whether each value of the comparison is of a group of sessions, because no two sessions
    /// measured all points of the answer.
    package let isOfGroups: Bool
  }

  /// Returns the comparison of the backends that `profile` can use, at the points of
  /// `recommendation`. Each repetition of each session predicts their costs from its own rows.
  package func comparison(
    for profile: WorkloadProfile, _ objective: CostObjective, like recommendation: Recommendation,
    by rule: VerdictRule
  ) -> Comparison {
    var key = key
    key.cores = profile.cores
    let points = recommendation.points
    func contest(_ models: [(Measurement.Session, CostModel)]) -> Contest<Backend> {
      var costs: [Backend: [(session: Measurement.Session, value: Double)]] = [:]
      for (session, model) in models {
        // A repetition without these points would answer from others.
        guard let answer = model.answer(to: profile, objective: objective),
          model.points(of: answer) == points
        else { continue }
        for backend in Backend.allCases {
          guard let cost = answer.score(of: backend) else { continue }
          costs[backend, default: []].append((session, cost.median))
        }
      }
      let full = SessionValues.fullSessions(of: costs.values.map { Set($0.map(\.session)) })
      return Contest(
        Backend.allCases.compactMap { backend in
          SessionValues(costs[backend, default: []]).map { (backend, $0.compared(over: full)) }
        }, by: rule)
    }
    let ofSessions = contest(repetitions(for: key))
    // Sessions that measured the only point are compared as they are.
    if points.count > 1, ofSessions.others.isEmpty || ofSessions.isIndicative,
      let model = calibration.model(for: key)
    {
      let groups = model.sessionGroups(measuring: points)
      if groups.count > 1 {
        let models = groups.enumerated().map { place, sessions in
          (Measurement.Session(run: "group", number: place + 1), model.only(Set(sessions)))
        }
        return Comparison(contest: contest(models), isOfGroups: true)
      }
    }
    return Comparison(contest: ofSessions, isOfGroups: false)
  }

  /// Returns a model for each repetition of each session; of the compiled-in calibration, which has
  /// the medians of sessions, one for each session.
  private func repetitions(for key: CalibrationKey) -> [(Measurement.Session, CostModel)] {
    guard !rows.isEmpty else {
      guard let model = calibration.model(for: key) else { return [] }
      return model.sessions.enumerated().map { place, name in
        (Measurement.Session(run: "compiled", number: place + 1), model.only([name]))
      }
    }
    struct Repetition: Hashable { let session: Measurement.Session, trial: Int }
    let own = rows.filter { $0.sample.key == key }
    func repetition(_ row: Row) -> Repetition {
      Repetition(session: row.session, trial: row.trial)
    }
    let grouped = Dictionary(grouping: own, by: repetition)
    return own.map(repetition).withoutRepetitions.map {
      ($0.session, CostModel(grouped[$0, default: []].map(\.sample)))
    }
  }

  /// Returns the identifiers of the rows of `points`.
  package func rows(of points: [GridPoint]) -> [String] {
    let points = Set(points)
    return rows.filter { points.contains($0.sample.point) }.map(\.row)
  }
}

/// The rows that have the costs of a backend.
package enum CostRows {
  /// The build configuration whose rows count for decisions.
  package static let fitBuild = "release"

  /// Returns whether the row has the cost of a backend, in any build configuration.
  package static func isCost(_ row: Measurement, _ types: EntryTypes) -> Bool {
    CostSample(row, build: row.environment.buildConfiguration, types) != nil
  }
}

extension CostSample {
  /// Takes the costs from a row, or returns `nil` if the row does not have the cost of a backend.
  ///
  /// That is the case for peers, baselines and other builds, and for rows that answer another
  /// question: workers with roles, workers without their own threads, and open loops.
  package init?(
    _ measurement: Measurement, build: String = CostRows.fitBuild,
    _ types: EntryTypes = .integerToInteger
  ) {
    let environment = measurement.environment
    let configuration = measurement.configuration
    guard measurement.identity.kind == .subject, environment.buildConfiguration == build,
      configuration.pace.mode == .closed,
      configuration.roles == nil, configuration.driver == Driver.threads.rawValue,
      let backend = Backend(rawValue: configuration.backend),
      let collection = CollectionKind(rawValue: configuration.collection),
      configuration.hasUniformKeys(types), let mutexFlavor = environment.mutexFlavor,
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
        isPureMix: configuration.isPureMix, threads: configuration.threads,
        entries: configuration.entries),
      backend: backend,
      session: "\(measurement.session.run)/\(measurement.session.number)",
      nanosecondsPerOperation: measurement.throughput.nanosecondsPerOperation,
      p99Nanoseconds: measurement.latency.p99Nanoseconds,
      bytesPerEntry: measurement.bytes.livePerEntry)
  }
}

extension Measurement.Environment {
  /// The architecture: the last word of the column `kernel`, which has the output of `uname -srm`.
  package var architecture: String? {
    kernel?.split(separator: " ").last.map(String.init)
  }
}

extension Measurement.Configuration {
  /// Returns whether keys and values are of the given types, and keys are drawn uniformly; true for
  /// collections without keys.
  fileprivate func hasUniformKeys(_ types: EntryTypes) -> Bool {
    guard let keyType else { return types == .integerToInteger }
    return keyType == types.key.typeName && valueType == types.value.typeName
      && [nil, "uniform"].contains(keyDistribution)
  }

  /// Whether the workload only draws operations; `false` for an unknown name.
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
