import BenchmarkCommands
import TerminalIO
import Choosing
import WeakCollections

/// What `choose` answers, and on what the answer rests.
struct ChoiceReport {
  let profile: WorkloadProfile
  let objective: CostObjective
  let recommendation: Recommendation
  /// The rows that it rests on; none if it rests on what is compiled in.
  let rows: [String]

  init(
    _ profile: WorkloadProfile, _ objective: CostObjective, _ source: ChoiceSource,
    noiseFloor: Double = Chooser.standardNoiseFloor
  ) {
    self.profile = profile
    self.objective = objective
    recommendation = Chooser(
      calibration: source.calibration, key: source.key, noiseFloor: noiseFloor
    ).recommendation(for: profile, objective: objective)
    rows = source.rows(of: recommendation.points)
  }

  var status: ExitStatus {
    guard recommendation.isMeasured else { return .outsideMeasured }
    return recommendation.isDecided ? .fine : .undecided
  }

  var typeName: String { recommendation.backend.typeName(for: profile.collection) }

  /// The program's lines: the concrete type, or the trait that makes the usual names it.
  var paste: [String] {
    let parameters = profile.collection == .dictionary ? "<Key, Value>" : "<Element>"
    let trait = recommendation.backend.trait
    return [
      "let entries = \(typeName)\(parameters)()",
      "traits: [\"\(trait)\"]  // in Package.swift, or: swift build --traits \(trait)",
    ]
  }

  var json: String { PrettyJSON.text(of: ChoiceFields(self)) }
}

/// The names in the JSON of `choose`.
private struct ChoiceFields: Encodable {
  let backend: Backend
  let status: Int32
  let objective: String
  let isCalibrated: Bool
  let undecidedBetween: [Backend]
  let margin: Double?
  /// The cheapest first, each with its costs.
  let backends: [PredictedCost]
  let excess: GridExcess
  let points: [GridPoint]
  let rows: [String]
  let reason: String
  let type: String
  let trait: String
  let paste: [String]

  init(_ report: ChoiceReport) {
    let recommendation = report.recommendation
    backend = recommendation.backend
    status = report.status.rawValue
    objective = report.objective.rawValue
    isCalibrated = recommendation.isCalibrated
    undecidedBetween = recommendation.undecidedBetween
    margin = recommendation.margin
    backends = recommendation.ranking
    excess = recommendation.excess
    points = recommendation.points
    rows = report.rows
    reason = recommendation.reason
    type = report.typeName
    trait = backend.trait
    paste = report.paste
  }
}
