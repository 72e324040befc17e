import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting
import Workloads

/// What a run of `limits` has come to: the figures, and what each limit says of them.
struct LimitsReport {
  enum Format: String, CaseIterable { case text, csv, markdown }

  let format: Format
  let isQuick: Bool
  let seconds: Double
  let seed: Seed
  let environment: Measurement.Environment
  /// How many threads of the machine wanted to run, on average, in the minute before.
  let loadBefore: Double?
  /// In the order in which they are shown.
  let figures: [Figure]
  let trials: FigureTrials
  let verdicts: [LimitVerdict]

  init(_ plan: LimitsPlan, _ trials: FigureTrials, loadBefore: Double?) {
    self.init(
      format: plan.format, isQuick: plan.isQuick, seconds: plan.timing.seconds, seed: plan.seed,
      environment: EnvironmentProbe.environment(machine: nil), loadBefore: loadBefore,
      figures: plan.figures, limits: plan.limits, trials: trials)
  }

  init(
    format: Format, isQuick: Bool, seconds: Double, seed: Seed,
    environment: Measurement.Environment, loadBefore: Double?, figures: [Figure],
    limits: [Limit], trials: FigureTrials
  ) {
    self.format = format
    self.isQuick = isQuick
    self.seconds = seconds
    self.seed = seed
    self.environment = environment
    self.loadBefore = loadBefore
    self.figures = figures
    self.trials = trials
    verdicts = limits.map { LimitVerdict($0, trials) }
  }

  /// With a line end.
  var text: String {
    switch format {
    case .text: LimitsText(report: self).text
    case .markdown: LimitsMarkdown(report: self).text
    case .csv: LimitsCSV(report: self).text
    }
  }

  /// Those that no trial gave a value.
  var missing: [Figure] { figures.filter { trials.values[$0] == nil } }

  func status(failures: Int) -> ExitStatus {
    if failures > 0 { return .found }
    if isQuick { return missing.isEmpty ? .fine : .undecided }
    switch verdicts.must {
    case .met: return .fine
    case .missed: return .found
    case .notMeasured: return .undecided
    }
  }

  func summary(failures: Int) -> String {
    let failed = failures == 0 ? "" : "; \(NumberText.count(failures)) trials failed"
    if isQuick {
      let count = figures.count - missing.count
      return "\(count) of \(figures.count) figures measured; this was --quick: its ratios mean "
        + "nothing\(failed)"
    }
    return "musts: \(Self.counts(verdicts.compactMap(\.must))); "
      + "aims: \(Self.counts(verdicts.compactMap(\.aim)))\(failed)"
  }

  private static func counts(_ standings: [LimitVerdict.Standing]) -> String {
    LimitVerdict.Standing.allCases.map { standing in
      "\(standings.filter { $0 == standing }.count) \(standing.words)"
    }.joined(separator: ", ")
  }

  /// How many trials the figures have; fewer than were planned after an interruption.
  private var trialCounts: String {
    let counts = figures.compactMap { trials.values[$0]?.count }
    guard let least = counts.min(), let most = counts.max() else { return "no trials" }
    if least < most { return "\(least) to \(most) trials" }
    return most == 1 ? "1 trial" : "\(most) trials"
  }

  /// What was measured, where and how, in sentences.
  var preamble: [String] {
    let quick = isQuick ? ["This was --quick: its ratios mean nothing."] : []
    let machine = [environment.machine, environment.cpu, environment.swift]
      .compactMap(\.self).joined(separator: ", ")
    return quick + [
      "\(machine); \(environment.cores) cores; allocator \(environment.allocator); "
        + "\(environment.buildConfiguration); commit \(environment.commit ?? "unknown").",
      "Medians of \(trialCounts) of \(NumberText.amount(seconds)) s, "
        + "in shuffled rounds of one run; --seed \(seed); load average of the minute before: "
        + "\(NumberText.amount(loadBefore)).",
    ]
  }
}

extension LimitVerdict.Standing {
  /// As tables say it.
  var words: String {
    switch self {
    case .met: "met"
    case .missed: "missed"
    case .notMeasured: "not measured"
    }
  }
}

extension Bound {
  /// As tables show it: ≤ 1.3.
  var text: String {
    switch self {
    case .atMost(let bound): "≤ \(NumberText.short(bound))"
    case .atLeast(let bound): "≥ \(NumberText.short(bound))"
    case .above(let bound): "> \(NumberText.short(bound))"
    }
  }
}
