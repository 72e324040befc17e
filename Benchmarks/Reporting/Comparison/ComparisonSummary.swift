import Charts
import Measurements

/// What a comparison comes to, in sentences.
package struct ComparisonSummary {
  private let comparison: Comparison
  private let names: ComparisonNames

  package init(_ comparison: Comparison, _ names: ComparisonNames) {
    self.comparison = comparison
    self.names = names
  }

  /// What was compared, and by which rules.
  package var preamble: [String] {
    let terms = comparison.terms
    let better = terms.metric.isSmallerBetter ? "less is better" : "more is better"
    return [
      "\(terms.metric.rawValue), \(better): \(names.candidate) against \(names.base).",
      "Ratio: candidate ÷ base, of medians. "
        + "Threshold \(ComparisonTables.percent(terms.threshold.part)); noise floor \(floor).",
    ]
  }

  private var floor: String {
    guard let floor = comparison.noiseFloor else {
      return "unknown, as no A/A run was made and too few rows are of several runs"
    }
    let source =
      switch floor.source {
      case .measured: "measured by an A/A run"
      case .betweenProcesses: "by what runs of the same differ"
      }
    let greatest = ComparisonTables.percent(floor.part)
    // Of an A/A run each row has its own, by threads, processes and trials.
    let least = comparison.rows.compactMap(\.noiseFloor?.part).min()
    let texts = [least.map(ComparisonTables.percent) ?? greatest, greatest].withoutRepetitions
    return "\(texts.joined(separator: " to ")), \(source)"
  }

  /// How many rows of ours have which verdict, and which others there are.
  package var counts: String {
    let counts = Verdict.allCases.map { "\(comparison.count(of: $0)) \($0.rawValue)" }
    let others = comparison.rows.count { !$0.isSubject }
    let uncounted = others == 0 ? "" : "; \(others) of peers and baselines, which do not count"
    let lost = comparison.lostRows.count
    let missing = lost == 0 ? "" : "; \(lost) of the base alone"
    return counts.joined(separator: ", ") + missing + uncounted
  }

  /// Why rows are undecided, if it is for want of trials; `nil` otherwise.
  package var advice: String? {
    let needed = comparison.terms.trialsNeeded(forRows: comparison.rows.count)
    let isShort = comparison.rows.contains { row in
      let values =
        row.comparesProcesses
        ? (row.base.processes, row.candidate.processes)
        : (row.base.trials, row.candidate.trials)
      return row.verdict == .undecided && min(values.0, values.1) < needed
    }
    guard isShort else { return nil }
    return
      "too few trials to decide all: an interval takes \(Bootstrap.valuesNeeded) a side, better or worse "
      + "among so many rows \(needed)"
  }

  /// What the columns mean.
  package static let legend = [
    "δ: Cliff's delta, 1 if every candidate trial is above every base trial; p: Mann–Whitney, by Holm for "
      + "all rows.",
    "same: the interval is within the threshold; better, worse: it excludes 1 and the noise floor, and p ≤ "
      + "0.05; else undecided.",
  ]
}
