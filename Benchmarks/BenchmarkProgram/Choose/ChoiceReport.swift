import BenchmarkCommands
import Charts
import Choosing
import Measurements
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// A number of a profile that `choose` assumes if it is not given.
enum Assumption: Hashable, Sendable { case threads, cores, entries }

/// The answer of `choose` and the rows that it is based on.
struct ChoiceReport {
  let profile: WorkloadProfile
  let objective: CostObjective
  let recommendation: Recommendation
  /// The comparison over sessions; without a leader if nothing was measured.
  let contest: Contest<Backend>
  /// Whether the comparison is over groups of sessions; see `ChoiceSource.Comparison`.
  let isOfGroups: Bool
  /// The rows on which the answer is based; empty for the compiled-in calibration.
  let rows: [String]
  /// The origin of the measurements in words, with the machine, the compiler and the cores.
  let origin: String
  /// The type of the keys that the question is about, and that of the measurements.
  let keys: (asked: EntryTypes.Key, measured: EntryTypes.Key)
  let assumptions: Set<Assumption>

  init(
    _ profile: WorkloadProfile, _ objective: CostObjective, _ source: ChoiceSource,
    keys: EntryTypes.Key = .int, noiseFloor: Double? = nil, assumptions: Set<Assumption> = []
  ) {
    self.profile = profile
    self.objective = objective
    self.assumptions = assumptions
    self.keys = (keys, source.keys)
    var key = source.key
    key.cores = profile.cores
    origin = "\(source.origin), \(key)"
    recommendation = Chooser(calibration: source.calibration, key: source.key)
      .recommendation(for: profile, objective: objective)
    let comparison = source.comparison(
      for: profile, objective, like: recommendation,
      by: VerdictRule(assumedNoise: noiseFloor ?? 0))
    (contest, isOfGroups) = (comparison.contest, comparison.isOfGroups)
    rows = source.rows(of: recommendation.points)
  }

  var status: ExitStatus {
    guard recommendation.isMeasured, keys.asked == keys.measured else { return .outsideMeasured }
    return undecidedBetween.isEmpty && notCompared.isEmpty && !contest.isIndicative
      ? .fine : .undecided
  }

  /// The backend to use.
  var backend: Backend { contest.leader ?? recommendation.backend }

  /// The costs of the backends: the leader, then the others in the order of the comparison, then
  /// those that no session compared.
  var costs: [PredictedCost] {
    let compared = [backend] + contest.others.map(\.name)
    let order = (compared + recommendation.ranking.map(\.backend)).withoutRepetitions
    return order.compactMap { name in recommendation.ranking.first { $0.backend == name } }
  }

  /// The backends between which the measurements do not decide, the cheapest first.
  var undecidedBetween: [Backend] {
    if case .undecided(let backends) = contest.outcome { backends } else { [] }
  }

  /// The backends with measurements that no session can compare with the others: it lacks one of
  /// the points, or there is no other backend.
  var notCompared: [Backend] {
    guard !contest.others.isEmpty else { return costs.map(\.backend) }
    let compared = [backend] + contest.others.map(\.name)
    return costs.map(\.backend).filter { !compared.contains($0) }
  }

  /// The backends that are equivalent to the cheapest, which comes first.
  var equivalent: [Backend] {
    if case .tied(let backends) = contest.outcome { backends } else { [] }
  }

  /// The least number of sessions, or of groups of sessions, that compared the leader with another;
  /// `nil` without one.
  var sessions: Int? {
    contest.others.map { rival in
      if case .sessions(let count) = rival.judgment.estimate.scope { count } else { 1 }
    }.min()
  }

  /// The second-cheapest backend.
  var next: Contest<Backend>.Rival? { contest.others.first }

  /// What no measurement covers, in words.
  var notMeasured: [String] {
    let measured = Set(costs.map(\.backend))
    let backends = Backend.supporting(profile.collection).filter {
      !measured.contains($0) && ($0.isSynchronous || !profile.synchronousOnly)
    }
    var gaps = backends.isEmpty ? [] : [backends.map(\.rawValue).joined(separator: ", ")]
    if profile.collection == .dictionary {
      if keys.asked != keys.measured { gaps.append("keys of type \(keys.asked.rawValue)") }
      gaps.append("keys of other types and distributions, and larger values")
    } else {
      gaps.append("larger objects")
    }
    return gaps
  }

  var typeName: String { backend.typeName(for: profile.collection) }

  /// The lines to paste: the concrete type, or the trait that makes it the default.
  var paste: [String] {
    let parameters = profile.collection == .dictionary ? "<Key, Value>" : "<Element>"
    let trait = backend.trait
    return [
      "let entries = \(typeName)\(parameters)()",
      "traits: [\"\(trait)\"]  // of the dependency, in Package.swift",
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
  /// The least number of sessions, or of groups of them, that compared the backend with another.
  let sessions: Int?
  let isOfGroups: Bool
  let margin: Double?
  let marginLow: Double?
  let marginHigh: Double?
  let notMeasured: [String]
  /// The backends with their costs, the cheapest first.
  let backends: [PredictedCost]
  let excess: GridExcess
  let points: [GridPoint]
  let rows: [String]
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
    isIndicative = report.contest.isIndicative
    sessions = report.sessions
    isOfGroups = report.isOfGroups
    let next = report.next?.judgment.estimate
    margin = next?.ratio
    marginLow = next?.interval?.lowerBound
    marginHigh = next?.interval?.upperBound
    notMeasured = report.notMeasured
    backends = report.costs
    excess = recommendation.excess
    points = recommendation.points
    rows = report.rows
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
    var lines = ["\(report.backend.rawValue)\(costs)", "asked: \(question)"]
    if recommendation.isCalibrated {
      let places = recommendation.points.map(\.description).joined(separator: "; and at ")
      lines.append("measured: \(report.origin); at \(places)")
    } else {
      lines.append("why: \(recommendation.reason)")
    }
    lines += certainty
    if let next = report.next {
      let estimate = next.judgment.estimate
      let interval = estimate.interval.map {
        " (\(NumberText.amount($0.lowerBound))–\(NumberText.amount($0.upperBound)))"
      }
      lines.append(
        "next: \(next.name.rawValue), costs \(NumberText.amount(estimate.ratio))\(interval ?? "") "
          + "times as much")
    }
    if !recommendation.excess.isWithin {
      lines.append("outside the measured range: \(recommendation.excess)")
    }
    if recommendation.isCalibrated {
      lines.append("not measured: \(report.notMeasured.joined(separator: "; "))")
    }
    if explains { lines += explanation }
    lines.append("to paste, the type or the trait that makes it the default:")
    lines += report.paste.map { "  \($0)" }
    return lines.joined(separator: "\n")
  }

  private static func list(_ backends: [Backend]) -> String {
    backends.map(\.rawValue).joined(separator: ", ")
  }

  /// How sure the answer is.
  private var certainty: [String] {
    let count = report.sessions ?? 1
    let sessions =
      report.isOfGroups
      ? NumberText.count(count, "group") + " of sessions" : NumberText.count(count, "session")
    let basis = "by intervals of 95 % over \(sessions)"
    var lines: [String] =
      switch report.contest.outcome {
      case .won where report.contest.isIndicative:
        ["cheapest in the one session measured; another may differ"]
      case .won: ["sure: every other backend costs more, \(basis)"]
      case .tied(let backends):
        ["equivalent: \(Self.list(backends)); they differ by at most 5 %, \(basis)"]
      case .undecided(let backends): ["undecided between: \(Self.list(backends)), \(basis)"]
      case .none: []
      }
    if report.contest.isIndicative, report.contest.outcome != .won(by: report.backend) {
      lines.append("indicative: one session was measured, and another may differ")
    }
    if recommendation.isCalibrated, !report.notCompared.isEmpty {
      lines.append(
        "not compared: \(Self.list(report.notCompared)), for which no session has all these points")
    }
    return lines
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
      rows: report.costs.map { cost in
        [cost.backend.rawValue]
          + [cost.nanosecondsPerOperation, cost.p99Nanoseconds, cost.bytesPerEntry].map { range in
            range.map(Self.range) ?? NumberText.missing
          }
      })
    let rows = report.rows.isEmpty ? [] : ["rows: \(report.rows.joined(separator: " "))"]
    return table.lines.map { "  \($0)" } + rows
  }

  /// Returns the median and, if the sessions differ, the range.
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
      NumberText.count(profile.threads, "thread") + assumed(.threads),
      NumberText.count(profile.cores, "core") + assumed(.cores),
      "\(profile.entries) \(profile.entries == 1 ? "entry" : "entries")\(assumed(.entries))",
      profile.liveFraction < 1 ? "live \(NumberText.short(profile.liveFraction))" : nil,
      profile.churn > 0 ? "churn \(NumberText.short(profile.churn))" : nil,
      report.keys.asked == .int ? nil : "keys \(report.keys.asked.rawValue)",
      profile.keyDistribution == WorkloadProfile.uniformKeys
        ? nil : "keys drawn \(profile.keyDistribution)",
      profile.memoryWeight > 0 ? "memory weight \(NumberText.short(profile.memoryWeight))" : nil,
      profile.synchronousOnly ? "without await" : nil,
      report.objective == .throughput ? nil : "cheap in \(report.objective.rawValue)",
    ].compactMap(\.self).joined(separator: ", ")
  }
}
