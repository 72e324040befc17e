import BenchmarkCommands
import TerminalIO
import Charts
import Measurements
import Reporting

/// The result of `compare`: the comparison, its text, and the exit status.
struct CompareResult {
  let comparison: Comparison
  private let plan: ComparePlan
  private let summary: ComparisonSummary

  /// Reads and compares the files.
  ///
  /// - Throws: An error for malformed data if a file is damaged, or the rows must not be compared.
  init(_ plan: ComparePlan) throws(CommandError) {
    self.plan = plan
    let sides = try Self.sides(plan)
    do {
      comparison = try Comparison(sides, plan.terms)
    } catch {
      throw Self.error(for: error, plan)
    }
    summary = ComparisonSummary(comparison, plan.source.names)
  }

  /// The comparison in the requested format, with a line end.
  var text: String {
    let names = plan.source.names
    return switch plan.format {
    case .text: ComparisonText(comparison, names).text
    case .markdown: ComparisonText(comparison, names).markdown
    case .csv: ComparisonCSV(comparison).text
    case .json: ComparisonJSON(comparison, names).text
    }
  }

  var counts: String { summary.counts }
  var advice: String? { summary.advice }

  /// Whether there are backends' rows, every one has a verdict, and the candidate lacks none.
  var isDecided: Bool {
    comparison.count(of: .undecided) == 0 && comparison.lostRows.isEmpty
      && comparison.rows.contains(where: \.isSubject)
  }

  /// The exit status; a row that is slower takes precedence over undecided rows.
  var status: ExitStatus {
    if comparison.count(of: .slower) > 0 { return .found }
    return isDecided || plan.allowsUndecided ? .fine : .undecided
  }

  private static func sides(_ plan: ComparePlan) throws(CommandError) -> ComparisonSides {
    func rows(_ path: String) throws(CommandError) -> [Measurement] {
      CatalogOrder.sorted(try plan.cells.applied(to: try ResultsFile.rows(in: path)))
    }
    switch plan.source {
    case .files(let base, let candidate):
      return ComparisonSides(base: try rows(base), candidate: try rows(candidate))
    case .baseline(let name, let candidate):
      return ComparisonSides(base: try rows(name.path), candidate: try rows(candidate))
    case .backends(let file, let base):
      let rows = try rows(file)
      let present = rows.map(\.configuration.backend).withoutRepetitions
      guard present.contains(base) else { throw .unknown("backend", base, allowed: present) }
      return ComparisonSides(of: rows, againstBackend: base)
    case .savingOnly(let file):
      return ComparisonSides(base: try rows(file), candidate: [])
    }
  }

  private static func error(for refusal: Comparison.Refusal, _ plan: ComparePlan) -> CommandError {
    let names = plan.source.names
    let description =
      switch refusal {
      case .nothingInCommon(let metric):
        "\(names.candidate) and \(names.base) have no row in common with \(metric.rawValue)"
          + "; measure both with the same options"
      case .different(let differences):
        "\(names.base) and \(names.candidate) must not be compared: "
          + differences.map(\.description).joined(separator: "; ")
          + " (--allow-different \(differences.map(\.aspect.rawValue).joined(separator: ",")) "
          + "compares them nevertheless)"
      }
    return CommandError(status: .badData, description: description)
  }
}
