import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Reporting
import TerminalIO
import Workloads

/// The result of `limits`: the figures, and the verdict of every requirement.
struct LimitsReport {
  enum Format: String, CaseIterable { case text, markdown }

  let format: Format
  let isQuick: Bool
  let seconds: Double
  let seed: Seed
  let environment: Measurement.Environment
  /// The load average of the machine over the minute before the run.
  let loadBefore: Double?
  /// The figures, in the order of the tables.
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

  /// The report in the requested format, ending in a line break.
  var text: String {
    switch format {
    case .text: plainText
    case .markdown: markdown
    }
  }

  /// The figures without a value from any trial.
  var missing: [Figure] { figures.filter { trials.values[$0] == nil } }

  func status(failures: Int) -> ExitStatus {
    if failures > 0 { return .found }
    if isQuick { return missing.isEmpty ? .fine : .undecided }
    switch verdicts.requirement {
    case .met: return .fine
    case .missed: return .found
    case .notMeasured: return .undecided
    }
  }

  func summary(failures: Int) -> String {
    let failed = failures == 0 ? "" : "; \(NumberText.count(failures)) trials failed"
    if isQuick {
      let count = figures.count - missing.count
      return "\(count) of \(figures.count) figures measured; this was --quick: its ratios are "
        + "meaningless\(failed)"
    }
    return "requirements: \(Self.counts(verdicts.compactMap(\.requirement))); "
      + "targets: \(Self.counts(verdicts.compactMap(\.target)))\(failed)"
  }

  private static func counts(_ standings: [LimitVerdict.Outcome]) -> String {
    LimitVerdict.Outcome.allCases.map { standing in
      "\(standings.filter { $0 == standing }.count) \(standing.words)"
    }.joined(separator: ", ")
  }

  /// The number of trials per figure; after an interruption, fewer than planned.
  private var trialCounts: String {
    let counts = figures.compactMap { trials.values[$0]?.count }
    guard let least = counts.min(), let most = counts.max() else { return "no trials" }
    if least < most { return "\(least) to \(most) trials" }
    return NumberText.count(most, "trial")
  }

  /// The environment and the parameters of the run, in sentences.
  var preamble: [String] {
    let quick = isQuick ? ["This was --quick: its ratios are meaningless."] : []
    return quick + [
      environment.sentence,
      "Medians of \(trialCounts) of \(NumberText.amount(seconds)) s, "
        + "in shuffled rounds of one run; --seed \(seed); load average of the minute before: "
        + "\(NumberText.amount(loadBefore)).",
      "Dictionaries get keys and operations that were drawn before the clock started; "
        + "`benchlab loop` draws them while the loop is timed.",
    ]
  }
}

extension LimitVerdict.Outcome {
  /// The standing in words.
  var words: String {
    switch self {
    case .met: "met"
    case .missed: "missed"
    case .notMeasured: "not measured"
    }
  }
}

extension Bound {
  /// The bound in tables: ≤ 1.3.
  var text: String {
    switch self {
    case .atMost(let bound): "≤ \(NumberText.short(bound))"
    case .atLeast(let bound): "≥ \(NumberText.short(bound))"
    case .above(let bound): "> \(NumberText.short(bound))"
    }
  }
}

extension LimitsReport {
  private struct Table {
    var title: String
    var columns: [TextTable.Column]
    var rows: [[String]]
  }

  private var plainText: String {
    let blocks = tables.map { table in
      ([table.title] + TextTable(columns: table.columns, rows: table.rows).lines)
        .joined(separator: "\n")
    }
    let legend =
      "\(NumberText.missing) not measured; limits that depend on it are neither met nor missed."
    return ([preamble.joined(separator: "\n")] + blocks + [legend]).joined(separator: "\n\n") + "\n"
  }

  /// The report in Markdown, for `results/`.
  private var markdown: String {
    let blocks = tables.map { table in
      "## \(table.title)\n\n" + MarkdownTable(columns: table.columns, rows: table.rows).text
    }
    return "# Limits\n\n" + preamble.joined(separator: " ") + "\n\n"
      + blocks.joined(separator: "\n") + "\n\(NumberText.missing): not measured.\n"
  }

  /// A table of medians for each table of the catalog that has a figure, followed by the table of
  /// limits.
  private var tables: [Table] {
    LimitCatalog.Table.allCases.compactMap(medians) + (verdicts.isEmpty ? [] : [limits])
  }

  private func medians(_ table: LimitCatalog.Table) -> Table? {
    let figures = figures.filter { $0.table == table.rawValue }
    guard !figures.isEmpty else { return nil }
    let columns = figures.map(\.column).withoutRepetitions
    return Table(
      title: table.title,
      columns: [.init()] + columns.map { .init(title: $0, alignment: .right) },
      rows: figures.map(\.row).withoutRepetitions.map { row in
        [row]
          + columns.map { column in
            let figure = Figure(table.rawValue, row, column)
            return figures.contains(figure) ? NumberText.amount(trials.median(of: figure)) : ""
          }
      })
  }

  private var limits: Table {
    Table(
      title: "Limits",
      columns: [
        .init(title: "LIMIT"), .init(title: "WHAT"), .init(title: "VALUE", alignment: .right),
        .init(title: "REQUIREMENT"), .init(), .init(title: "TARGET"), .init(),
      ],
      rows: verdicts.map { verdict in
        [
          verdict.limit.name, verdict.limit.statement, NumberText.signed(verdict.value),
          verdict.limit.requirement?.text ?? "", verdict.requirement?.words ?? "",
          verdict.limit.target?.text ?? "", verdict.target?.words ?? "",
        ]
      })
  }
}

/// A row of results; Foundation has a type of the same name.
typealias Measurement = Measurements.Measurement
