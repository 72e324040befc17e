import Charts
import Measurements

/// The universal scalability law of every contestant in some rows as CSV: figures derived from trials,
/// which therefore stand in no file of trials. What there is not is empty.
package struct ScalabilityCSV {
  private let report: BenchmarkReport

  package init(_ report: BenchmarkReport) { self.report = report }

  /// Columns of trials whose values all trials of a fit have in common.
  static let commonColumns = [
    "kind", "machine", "cores", "swift", "mutex_flavor", "allocator", "configuration", "commit",
    "collection", "backend", "workload", "read_share", "insert_share", "update_share",
    "remove_share", "iterate_share", "key_type", "value_type", "key_distribution", "driver", "size",
  ]

  static let figureColumns = [
    "trials", "thread_counts", "least_threads", "most_threads", "thread_counts_beyond_cores",
    "throughput_of_one", "throughput_of_one_low", "throughput_of_one_high", "contention",
    "contention_low", "contention_high", "coherency", "coherency_low", "coherency_high",
    "peak_threads", "peak_searched_to_threads", "r_squared", "forks", "intervals_of",
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
    let forks = Set(trials.map(\.process)).count
    let drawn = fit?.intervals.map { $0.isOfProcesses ? "forks" : "trials" }
    return common + counts.map { "\($0)" } + Self.figures(of: fit) + ["\(forks)", drawn ?? ""]
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
