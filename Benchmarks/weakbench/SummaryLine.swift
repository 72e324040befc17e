import BenchmarkCommands
import Measurements

/// One series of a run as the tables show it: medians over its trials, nil where nothing was measured.
struct SummaryLine: Sendable {
  let summary: Summary
  let mark: Mark
  let p50Nanoseconds: Double?
  let p99Nanoseconds: Double?
  let allocatedBytesPerOperation: Double?
  let liveBytesPerEntry: Double?

  var configuration: Measurement.Configuration { summary.series.configuration }

  /// A backend's name alone, and what the others are beside theirs.
  var name: String { Self.name(of: summary.series) }

  static func name(of series: Series) -> String {
    let backend = series.configuration.backend
    return series.kind == .subject ? backend : "\(backend) (\(series.kind.rawValue))"
  }

  /// In the order in which the series first appear.
  static func lines(for measurements: [Measurement]) -> [SummaryLine] {
    let summaries = Summary.summaries(of: measurements)
    let trials = Dictionary(grouping: measurements, by: Series.init)
    return zip(summaries, Ranking.marks(for: summaries)).map { summary, mark in
      SummaryLine(summary, mark, trials: trials[summary.series, default: []])
    }
  }

  private init(_ summary: Summary, _ mark: Mark, trials: [Measurement]) {
    func median(_ value: (Measurement) -> Double?) -> Double? {
      Statistics.median(trials.compactMap(value))
    }
    self.summary = summary
    self.mark = mark
    p50Nanoseconds = median(\.latency.p50Nanoseconds)
    p99Nanoseconds = median(\.latency.p99Nanoseconds)
    allocatedBytesPerOperation = median(\.bytes.allocatedPerOperation)
    liveBytesPerEntry = median(\.bytes.livePerEntry)
  }
}
