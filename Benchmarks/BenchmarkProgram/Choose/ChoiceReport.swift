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
  /// The types of keys and values that the question is about, and those of the measurements.
  let types: (asked: EntryTypes, measured: EntryTypes)
  let assumptions: Set<Assumption>

  init(
    _ profile: WorkloadProfile, _ objective: CostObjective, _ source: ChoiceSource,
    types: EntryTypes = .integerToInteger, noiseFloor: Double? = nil,
    assumptions: Set<Assumption> = []
  ) {
    self.profile = profile
    self.objective = objective
    self.assumptions = assumptions
    self.types = (types, source.types)
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
    guard isMeasured else { return .outsideMeasured }
    return undecidedBetween.isEmpty && notCompared.isEmpty ? .fine : .undecided
  }

  /// Whether the types, the threads and the entries of the question were measured. Costs between
  /// measured numbers are no measurement of the question.
  var isMeasured: Bool { recommendation.isMeasured && unmeasured.isEmpty }

  /// The types, threads and entries of the question that were not measured, in words.
  private var unmeasured: [String] {
    let points = recommendation.points
    let gaps = [
      (types.asked.key == types.measured.key, "keys of type \(types.asked.key.rawValue)"),
      (types.asked.value == types.measured.value, "values of type \(types.asked.value.rawValue)"),
      (
        points.allSatisfy { $0.threads == profile.threads },
        NumberText.count(profile.threads, "thread")
      ),
      (points.allSatisfy { $0.entries == profile.entries }, profile.entriesText),
    ]
    return gaps.filter { !$0.0 }.map(\.1)
  }

  /// What the comparison decides, as on the page.
  var decision: Decision<Backend> { Decision(of: [contest], standard: .standard) }

  /// The backend to use: the winner, or else the default unless it is known to be slower.
  var backend: Backend {
    guard isMeasured else { return .standard }
    let isContest = contest.generalOutcome != .none
    return decision.winner
      ?? (isContest && decision.lost.isEmpty
        ? .standard : contest.leader ?? recommendation.backend)
  }

  /// The backends that were compared, the leader first.
  private var compared: [Backend] {
    (contest.leader.map { [$0] } ?? []) + contest.others.map(\.name)
  }

  /// The costs of the backends: the leader, then the others in the order of the comparison, then
  /// those that no session compared.
  var costs: [PredictedCost] {
    let order = (compared + recommendation.ranking.map(\.backend)).withoutRepetitions
    return order.compactMap { name in recommendation.ranking.first { $0.backend == name } }
  }

  /// The backends between which the measurements do not decide, the cheapest first.
  var undecidedBetween: [Backend] {
    if case .undecided(let backends) = contest.generalOutcome { backends } else { [] }
  }

  /// The backends with measurements that no session can compare with the others: it lacks one of
  /// the points, or there is no other backend.
  var notCompared: [Backend] {
    guard !contest.others.isEmpty else { return costs.map(\.backend) }
    return costs.map(\.backend).filter { !compared.contains($0) }
  }

  /// The backends that are equivalent to the cheapest, which comes first.
  var equivalent: [Backend] {
    if case .tied(let backends) = contest.generalOutcome { backends } else { [] }
  }

  /// The least number of sessions, or of groups of sessions, that compared the leader with another;
  /// `nil` without one.
  var sessions: Int? {
    contest.others.map { rival in
      if case .sessions(let count) = rival.judgment.estimate.scope { count } else { 1 }
    }.min()
  }

  /// The second-cheapest backend, if the question was measured and the cheapest one is decided.
  var next: Contest<Backend>.Rival? {
    isMeasured && decision.winner != nil ? contest.others.first : nil
  }

  /// What no measurement covers, in words: of the question, and of similar ones.
  var notMeasured: [String] {
    let measured = Set(costs.map(\.backend))
    let backends = Backend.supporting(profile.collection).filter {
      !measured.contains($0) && ($0.isSynchronous || !profile.synchronousOnly)
    }
    return unmeasured
      + (backends.isEmpty ? [] : [backends.map(\.rawValue).joined(separator: ", ")]) + [
        profile.collection == .dictionary
          ? "keys of other types and distributions, and larger values" : "larger objects"
      ]
  }

  /// The commands that measure the question and ask it again; empty if it was measured, or if
  /// `run` has no workload like it.
  var measuring: [String] {
    let excess = recommendation.excess
    guard !isMeasured, excess.liveFraction == 0, excess.churn == 0, excess.keyDistribution == nil
    else { return [] }
    let asked = types.asked
    let operations =
      profile.workload.map { "--workload \($0)" } ?? "--mix \(profile.shares.mixText)"
    let entries =
      profile.collection == .dictionary
      ? " --keys \(asked.key.rawValue) --values \(asked.value.rawValue)" : ""
    let question =
      "--collection \(profile.collection.rawValue) \(operations) --threads \(profile.threads) "
      + "--entries \(profile.entries)\(entries)"
    let backends = Backend.supporting(profile.collection).filter {
      $0.isSynchronous || !profile.synchronousOnly
    }
    let file = "question.csv"
    let weight = profile.memoryWeight
    return [
      "weakbench run \(question) --backend "
        + "\(backends.map(\.rawValue).joined(separator: ",")) --sessions 5 --csv \(file)",
      "weakbench choose \(file) \(question)"
        + (weight > 0 ? " --memory-weight \(NumberText.short(weight))" : "")
        + (profile.synchronousOnly ? " --synchronous-only" : "")
        + (objective == .throughput ? "" : " --objective \(objective.rawValue)"),
    ]
  }

  var typeName: String { backend.typeName(for: profile.collection) }

  /// The lines to paste: the concrete type, or the trait that makes it the default. The default
  /// needs no trait, and an unmeasured question has nothing to paste.
  var paste: [String] {
    guard isMeasured else { return [] }
    let parameters = profile.collection == .dictionary ? "<Key, Value>" : "<Element>"
    let type = "let entries = \(typeName)\(parameters)()"
    return backend == .standard
      ? [type] : [type, "traits: [\"\(backend.trait)\"]  // of the dependency, in Package.swift"]
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
  /// The commands that measure the question.
  let measuring: [String]
  /// The backends with their costs, the cheapest first; empty if the question was not measured.
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
    measuring = report.measuring
    backends = report.isMeasured ? report.costs : []
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
    var lines = [answer, "asked: \(question)"]
    if recommendation.isCalibrated {
      let places = recommendation.points.map(\.description).joined(separator: "; and at ")
      lines.append(
        "measured\(report.isMeasured ? "" : " nearest"): \(report.origin)\(types); at \(places)")
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
    if report.types.asked.value == .object {
      lines.append("withValue(forKey:) reads an object without retaining it")
    }
    lines += section("to measure the question, in about a minute\(place):", report.measuring)
    let alternative =
      report.backend == .standard
      ? "which is the default unless a trait selects another"
      : "or the trait that makes it the default"
    lines += section("to paste, the type, \(alternative):", report.paste)
    return lines.joined(separator: "\n")
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [title] + lines.map { "  \($0)" }
  }

  /// Where to measure, if other machines cannot answer.
  private var place: String {
    recommendation.isCalibrated
      ? "" : " on a machine with \(NumberText.count(report.profile.cores, "core"))"
  }

  /// The types of the measurements if they are not those of the question.
  private var types: String {
    let (asked, measured) = report.types
    return asked == measured
      ? "" : ", keys \(measured.key.rawValue), values \(measured.value.rawValue)"
  }

  /// The backend to use.
  private var answer: String {
    let standard = Backend.standard.rawValue
    guard report.isMeasured else { return "not measured; the default is \(standard)" }
    let backend = "\(report.backend.rawValue)\(costs)"
    guard report.decision.winner == nil, report.contest.generalOutcome != .none else {
      return backend
    }
    return report.decision.lost.isEmpty
      ? "no difference was decided; the default is \(backend)"
      : "no winner was decided; the default, \(standard), is slower than \(backend)"
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
    let far = report.contest.outOfRange
    let outcome = report.contest.outcome
    let verdict: String? =
      switch outcome {
      case .won(let backend) where report.contest.isIndicative:
        "\(backend.rawValue) is the cheapest in the one session measured; another may differ"
      case .won(let backend) where !report.isMeasured:
        "\(backend.rawValue) is the cheapest, \(basis)"
      case .won: "sure: every other backend costs more, \(basis)"
      case .tied(let backends):
        "equivalent: \(Self.list(backends)); they differ by at most 5 %, \(basis)"
      case .undecided(let backends):
        "undecided between: \(Self.list(backends.filter { !far.contains($0) }))"
          + (far.isEmpty ? "" : "; undecided (range): \(Self.list(far))") + ", \(basis)"
      case .none: nil
      }
    var lines: [String] = verdict.map { [(report.isMeasured ? "" : "there, ") + $0] } ?? []
    let saysSo = if case .won = outcome { true } else { false }
    if report.contest.isIndicative, !saysSo {
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
    return (report.isMeasured ? table.lines.map { "  \($0)" } : []) + rows
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
    let types = report.types.asked
    return [
      profile.collection.rawValue, profile.workload, profile.shares.mixText,
      NumberText.count(profile.threads, "thread") + assumed(.threads),
      NumberText.count(profile.cores, "core") + assumed(.cores),
      profile.entriesText + assumed(.entries),
      profile.liveFraction < 1 ? "live \(NumberText.short(profile.liveFraction))" : nil,
      profile.churn > 0 ? "churn \(NumberText.short(profile.churn))" : nil,
      types.key == .int ? nil : "keys \(types.key.rawValue)",
      types.value == .int ? nil : "values \(types.value.rawValue)",
      profile.keyDistribution == WorkloadProfile.uniformKeys
        ? nil : "keys drawn \(profile.keyDistribution)",
      profile.memoryWeight > 0 ? "memory weight \(NumberText.short(profile.memoryWeight))" : nil,
      profile.synchronousOnly ? "without await" : nil,
      report.objective == .throughput ? nil : "cheap in \(report.objective.rawValue)",
    ].compactMap(\.self).joined(separator: ", ")
  }
}

extension WorkloadProfile {
  fileprivate var entriesText: String { "\(entries) \(entries == 1 ? "entry" : "entries")" }
}

extension OperationShares {
  /// The shares as the option `--mix` reads them.
  fileprivate var mixText: String {
    [
      ("read", read), ("insert", insert), ("update", update), ("remove", remove),
      ("iterate", iterate),
    ].filter { $0.1 > 0 }.map { "\($0.0)=\(NumberText.short($0.1))" }.joined(separator: ",")
  }
}
