import BenchmarkCommands
import Charts
import Choosing
import Measurements
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
  /// The comparison over the sessions of the rows; `nil` for the compiled-in calibration.
  let contest: Contest<Backend>?
  /// The rows on which the answer is based; empty for the compiled-in calibration.
  let rows: [String]
  /// The origin of the measurements in words, with the machine, the compiler and the cores.
  let origin: String
  let assumptions: Set<Assumption>

  init(
    _ profile: WorkloadProfile, _ objective: CostObjective, _ source: ChoiceSource,
    noiseFloor: Double? = nil, assumptions: Set<Assumption> = []
  ) {
    self.profile = profile
    self.objective = objective
    self.assumptions = assumptions
    var key = source.key
    key.cores = profile.cores
    origin = "\(source.origin), \(key)"
    let recommendation = Chooser(
      calibration: source.calibration, key: source.key,
      noiseFloor: noiseFloor ?? Chooser.standardNoiseFloor
    ).recommendation(for: profile, objective: objective)
    self.recommendation = recommendation
    contest = source.contest(
      for: profile, objective, like: recommendation,
      by: VerdictRule(assumedNoise: noiseFloor ?? 0))
    rows = source.rows(of: recommendation.points)
  }

  var status: ExitStatus {
    guard recommendation.isMeasured else { return .outsideMeasured }
    return undecidedBetween.isEmpty && !isIndicative ? .fine : .undecided
  }

  /// The backend to use.
  var backend: Backend { contest?.leader ?? recommendation.backend }

  /// The backends between which the measurements do not decide, the cheapest first.
  var undecidedBetween: [Backend] {
    switch contest?.outcome {
    case .undecided(let backends): backends
    case .won, .tied: []
    // No session was measured at all points, unless there is only one backend.
    case .some(.none): ranked.count > 1 ? ranked : []
    case nil: recommendation.undecidedBetween
    }
  }

  private var ranked: [Backend] { recommendation.ranking.map(\.backend) }

  /// The backends that are equivalent to the cheapest, which comes first.
  var equivalent: [Backend] {
    if case .tied(let backends) = contest?.outcome { backends } else { [] }
  }

  /// Whether the answer is about the only measured session.
  var isIndicative: Bool { contest?.isIndicative == true }

  /// The second-cheapest backend, with its cost as a multiple of the cheapest one's.
  var next: (backend: Backend, margin: Double, interval: ClosedRange<Double>?)? {
    if let rival = contest?.others.first {
      return (rival.name, rival.judgment.estimate.ratio, rival.judgment.estimate.interval)
    }
    guard let next = recommendation.ranking.dropFirst().first, let margin = recommendation.margin
    else { return nil }
    return (next.backend, margin, nil)
  }

  var typeName: String { backend.typeName(for: profile.collection) }

  /// The lines to paste: the concrete type, or the trait that makes it the default.
  var paste: [String] {
    let parameters = profile.collection == .dictionary ? "<Key, Value>" : "<Element>"
    let trait = backend.trait
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
  let equivalent: [Backend]
  let isIndicative: Bool
  let margin: Double?
  let marginLow: Double?
  let marginHigh: Double?
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
    backend = report.backend
    status = report.status.rawValue
    objective = report.objective.rawValue
    isCalibrated = recommendation.isCalibrated
    undecidedBetween = report.undecidedBetween
    equivalent = report.equivalent
    isIndicative = report.isIndicative
    margin = report.next?.margin
    marginLow = report.next?.interval?.lowerBound
    marginHigh = report.next?.interval?.upperBound
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
    var lines = ["\(report.backend.rawValue)\(costs)", "asked: \(question)"]
    if recommendation.isCalibrated { lines.append("measured: \(report.origin)") }
    if let next = report.next {
      let interval = next.interval.map {
        " (\(NumberText.amount($0.lowerBound))–\(NumberText.amount($0.upperBound)))"
      }
      lines.append(
        "next: \(next.backend.rawValue), costs \(NumberText.amount(next.margin))\(interval ?? "") times "
          + "as much")
    }
    if !report.equivalent.isEmpty {
      lines.append("equivalent: \(Self.list(report.equivalent)); they differ by at most 5 %")
    }
    if !report.undecidedBetween.isEmpty {
      lines.append("undecided between: \(Self.list(report.undecidedBetween)); \(doubt)")
    }
    if report.isIndicative {
      lines.append("indicative: one session was measured, and another may differ")
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

  private static func list(_ backends: [Backend]) -> String {
    backends.map(\.rawValue).joined(separator: ", ")
  }

  private var doubt: String {
    switch report.contest?.outcome {
    case nil: "their trials overlap, or differ by noise"
    case .some(.none): "no session was measured at all these points"
    default: "the intervals over sessions do not decide"
    }
  }

  private var costs: String {
    guard let first = recommendation.ranking.first(where: { $0.backend == report.backend }) else {
      return ""
    }
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
