import Charts
import Measurements
import TerminalIO

/// The cells of one fit in a table.
struct ScalabilityCells {
  private let fit: ScalabilityFit
  private let cores: Int

  init(_ fit: ScalabilityFit, cores: Int) {
    self.fit = fit
    self.cores = cores
  }

  static let titles = ["λ", "interval", "σ", "interval", "κ", "interval", "peak threads", "R²"]

  var all: [String] {
    let (law, intervals) = (fit.law, fit.intervals)
    return [
      FigureUnit.operationsPerSecond.text(law.throughputOfOne),
      Self.text(of: intervals?.throughputOfOne, .operationsPerSecond),
      FigureUnit.count.text(law.contention), Self.text(of: intervals?.contention, .count),
      FigureUnit.count.text(law.coherency), Self.text(of: intervals?.coherency, .count),
      peakText, determinationText,
    ]
  }

  /// The number of threads with the highest throughput, starred if it exceeds the cores.
  private var peakText: String {
    guard let peak = fit.law.threadsOfPeak else { return "> \(2 * fit.law.measuredThreads)" }
    return "\(peak)\(peak > cores ? " *" : "")"
  }

  /// *R²* with three digits, because it is near 1.
  private var determinationText: String {
    guard let determination = fit.determination else { return NumberText.missing }
    let text = NumberText.fixed(abs(determination), decimals: 3)
    return determination < 0 ? "−\(text)" : text
  }

  private static func text(of range: ClosedRange<Double>?, _ unit: FigureUnit) -> String {
    guard let range else { return NumberText.missing }
    return "\(unit.text(range.lowerBound))–\(unit.text(range.upperBound))"
  }
}

/// The universal scalability law of every contestant as text: one table per workload.
package struct ScalabilityTables {
  private let report: BenchmarkReport

  package init(_ report: BenchmarkReport) { self.report = report }

  package var text: String {
    let tables = report.scopes.flatMap { scope in
      scope.panels.map { lines(of: $0, in: scope).joined(separator: "\n") }
    }
    return (tables + [legend]).joined(separator: "\n\n")
  }

  private func lines(of panel: Panel, in scope: ReportScope) -> [String] {
    let threads = panel.threads.map { "\($0)\($0 > panel.cores ? "*" : "")" }
    let place = report.scopes.count > 1 ? "; \(report.heading(of: scope))" : ""
    let title =
      "\(panel.configuration.collection), \(panel.name), "
      + "\(threads.joined(separator: ", ")) threads\(place)"
    let fitted = panel.keys.filter { panel.scalability[$0] != nil }
    let missing = panel.keys.filter { panel.scalability[$0] == nil }
    let table = TextTable(
      columns: [.init(title: "BACKEND")]
        + ScalabilityCells.titles.map { .init(title: $0, alignment: .right) },
      rows: fitted.map { key in
        [key.text] + ScalabilityCells(panel.scalability[key]!, cores: panel.cores).all
      })
    return [title] + (fitted.isEmpty ? [] : table.lines)
      + (missing.isEmpty ? [] : [Self.text(ofMissing: missing, panel)])
  }

  private static func text(ofMissing keys: [LegendKey], _ panel: Panel) -> String {
    let names = keys.map { key in
      let count = panel.series(of: key).count
      return "\(key.text) (\(count))"
    }
    return "Not fitted, too few numbers of threads: \(names.joined(separator: ", "))."
  }

  private var legend: String {
    """
    X(n) = λ n ÷ (1 + σ (n − 1) + κ n (n − 1)): λ operations per second of one thread, σ contention, \
    κ coherency.
    σ and κ are at least 0. The fit needs at least \(ScalabilityFit.threadCountsNeeded) numbers of \
    threads; 95 % intervals by bootstrap need three trials of
    each, and draw sessions if there are \(Bootstrap.valuesNeeded) or more. The peak is searched up to \
    twice the measured number of threads.
    * more threads than cores: the law describes how a backend tolerates them, not how it scales. \
    \(NumberText.missing) not measured.
    """
  }
}

/// The universal scalability law of every contestant as CSV.
///
/// The figures are derived from trials, so they are in a separate file. An empty field means that
/// the figure does not exist.
package struct ScalabilityCSV {
  private let report: BenchmarkReport

  package init(_ report: BenchmarkReport) { self.report = report }

  /// The columns of files of trials whose values are equal in all trials of a fit.
  static let commonColumns = [
    "kind", "machine", "cores", "swift", "mutex_flavor", "allocator", "configuration", "commit",
    "collection", "backend", "workload", "read_share", "insert_share", "update_share",
    "remove_share", "iterate_share", "key_type", "value_type", "key_distribution", "driver",
    "entries",
  ]

  static let figureColumns = [
    "trials", "thread_counts", "least_threads", "most_threads", "thread_counts_beyond_cores",
    "throughput_of_one", "throughput_of_one_low", "throughput_of_one_high", "contention",
    "contention_low", "contention_high", "coherency", "coherency_low", "coherency_high",
    "peak_threads", "peak_searched_to_threads", "r_squared", "sessions", "intervals_of",
  ]

  package var text: String {
    let rows = report.scopes.flatMap { scope in
      scope.panels.flatMap { panel in panel.keys.map { row(of: $0, panel) } }
    }
    return ([Self.commonColumns + Self.figureColumns] + rows)
      .map { $0.map(MeasurementCSV.field).joined(separator: ",") + "\n" }.joined()
  }

  private func row(of key: LegendKey, _ panel: Panel) -> [String] {
    let trials = panel.series(of: key).flatMap(\.trials)
    let common = Self.commonColumns.map { name in
      trials.first.flatMap { MeasurementCSV.text(ofColumn: name, in: $0) } ?? ""
    }
    let threads = panel.series(of: key).map(\.threads)
    let counts = [
      trials.count, threads.count, threads.min() ?? 0, threads.max() ?? 0,
      threads.count { $0 > panel.cores },
    ]
    let fit = panel.scalability[key]
    let sessions = Set(trials.map(\.session)).count
    let drawn = fit?.intervals.map { $0.isOfSessions ? "sessions" : "trials" }
    return common + counts.map { "\($0)" } + Self.figures(of: fit) + ["\(sessions)", drawn ?? ""]
  }

  private static func figures(of fit: ScalabilityFit?) -> [String] {
    func texts(_ value: Double?, _ range: ClosedRange<Double>?) -> [String] {
      [value, range?.lowerBound, range?.upperBound].map { $0.map { "\($0)" } ?? "" }
    }
    let (law, intervals) = (fit?.law, fit?.intervals)
    return texts(law?.throughputOfOne, intervals?.throughputOfOne)
      + texts(law?.contention, intervals?.contention)
      + texts(law?.coherency, intervals?.coherency)
      + [
        law?.threadsOfPeak.map { "\($0)" } ?? "", law.map { "\(2 * $0.measuredThreads)" } ?? "",
        fit?.determination.map { "\($0)" } ?? "",
      ]
  }
}
