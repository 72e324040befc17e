import BenchmarkCommands
import Charts
import Choosing
import Reporting
import TerminalIO
import WeakCollections

/// A number of a profile that `choose` assumes if it is not given.
enum Assumption: Hashable, Sendable { case threads, cores, size }

/// The answer of `choose` and the rows that it is based on.
struct ChoiceReport {
  let profile: WorkloadProfile
  let objective: CostObjective
  let recommendation: Recommendation
  /// The rows on which the answer is based; empty for the compiled-in calibration.
  let rows: [String]
  /// The origin of the measurements in words, with the machine, the compiler and the cores.
  let origin: String
  let assumptions: Set<Assumption>

  init(
    _ profile: WorkloadProfile, _ objective: CostObjective, _ source: ChoiceSource,
    noiseFloor: Double = Chooser.standardNoiseFloor, assumptions: Set<Assumption> = []
  ) {
    self.profile = profile
    self.objective = objective
    self.assumptions = assumptions
    var key = source.key
    key.cores = profile.cores
    origin = "\(source.origin), \(key)"
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

  /// The lines to paste: the concrete type, or the trait that makes it the default.
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

/// The properties in the JSON of `choose`.
private struct ChoiceFields: Encodable {
  let backend: Backend
  let status: Int32
  let objective: String
  let isCalibrated: Bool
  let undecidedBetween: [Backend]
  let margin: Double?
  /// The backends with their costs, the cheapest first.
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

/// The answer of `choose` as text.
struct ChoiceText {
  let report: ChoiceReport
  /// Whether the text includes every backend's costs, and the rows.
  let explains: Bool

  private var recommendation: Recommendation { report.recommendation }

  var text: String {
    let recommendation = recommendation
    var lines = ["\(recommendation.backend.rawValue)\(costs)", "asked: \(question)"]
    if recommendation.isCalibrated { lines.append("measured: \(report.origin)") }
    if let next = recommendation.ranking.dropFirst().first, let margin = recommendation.margin {
      let times = NumberText.amount(margin)
      lines.append("next: \(next.backend.rawValue), costs \(times) times as much")
    }
    if !recommendation.isDecided {
      let names = recommendation.undecidedBetween.map(\.rawValue).joined(separator: ", ")
      lines.append("undecided between: \(names); their trials overlap, or differ by noise")
    }
    if !recommendation.excess.isWithin {
      lines.append("outside the measured range: \(recommendation.excess)")
    }
    lines.append("why: \(recommendation.reason)")
    if explains { lines += explanation }
    lines.append("to paste, the type or the trait that makes it the default:")
    lines += report.paste.map { "  \($0)" }
    return lines.joined(separator: "\n")
  }

  private var costs: String {
    guard let first = recommendation.ranking.first else { return "" }
    return [
      (", about \(Self.range(first.nanosecondsPerOperation)) ns per operation"),
      report.objective == .p99 ? first.p99Nanoseconds.map { ", p99 \(Self.range($0)) ns" } : nil,
      first.bytesPerEntry.map { ", \(Self.range($0)) bytes per entry" },
    ].compactMap(\.self).joined()
  }

  private var explanation: [String] {
    let table = TextTable(
      columns: ["BACKEND", "NS/OP", "P99 NS", "BYTES/ENTRY"].map { .init(title: $0) },
      rows: recommendation.ranking.map { cost in
        [cost.backend.rawValue]
          + [cost.nanosecondsPerOperation, cost.p99Nanoseconds, cost.bytesPerEntry].map { range in
            range.map(Self.range) ?? NumberText.missing
          }
      })
    let rows = report.rows.isEmpty ? [] : ["rows: \(report.rows.joined(separator: " "))"]
    return table.lines.map { "  \($0)" } + rows
  }

  /// Returns the median and, if the trials differ, the range.
  private static func range(_ cost: CostRange) -> String {
    let median = NumberText.amount(cost.median)
    guard cost.low < cost.high else { return median }
    return "\(median) (\(NumberText.amount(cost.low))–\(NumberText.amount(cost.high)))"
  }

  private func assumed(_ number: Assumption) -> String {
    report.assumptions.contains(number) ? " (assumed)" : ""
  }

  private var question: String {
    let profile = report.profile
    let shares = profile.shares
    let mix = [
      ("read", shares.read), ("insert", shares.insert), ("update", shares.update),
      ("remove", shares.remove), ("iterate", shares.iterate),
    ].filter { $0.1 > 0 }.map { "\($0.0)=\(NumberText.short($0.1))" }.joined(separator: ",")
    return [
      profile.collection.rawValue, profile.workload, mix,
      "\(profile.threads) thread\(profile.threads == 1 ? "" : "s")\(assumed(.threads))",
      "\(profile.cores) core\(profile.cores == 1 ? "" : "s")\(assumed(.cores))",
      "size \(profile.size)\(assumed(.size))",
      profile.liveFraction < 1 ? "live \(NumberText.short(profile.liveFraction))" : nil,
      profile.churn > 0 ? "churn \(NumberText.short(profile.churn))" : nil,
      profile.keyDistribution == WorkloadProfile.uniformKeys
        ? nil : "keys \(profile.keyDistribution)",
      profile.memoryWeight > 0 ? "memory weight \(NumberText.short(profile.memoryWeight))" : nil,
      profile.synchronousOnly ? "without await" : nil,
      report.objective == .throughput ? nil : "cheap in \(report.objective.rawValue)",
    ].compactMap(\.self).joined(separator: ", ")
  }
}
