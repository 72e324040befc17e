import Charts
import Measurements

/// All that was measured of one workload of one collection: contestants at several numbers of threads,
/// with nothing else between them.
struct Panel: ChartedPanel {
  /// Without a backend and a number of threads.
  let configuration: Measurement.Configuration
  /// By the legend's order, then by threads.
  let series: [ReportSeries]
  /// How many cores the machine has for the threads.
  let cores: Int
  /// What tells it from others of the same workload, such as its size; empty if there are none.
  let distinction: String
  /// Of the contestants that were measured at enough numbers of threads.
  let scalability: [LegendKey: ScalabilityFit]

  var threads: [Int] { series.map(\.threads).withoutRepetitions.sorted() }
  var keys: [LegendKey] { series.map(\.key).withoutRepetitions }

  /// Where contention is real and each thread has a core: as many threads as cores, or the next fewer.
  var telling: Int { threads.last { $0 <= cores } ?? threads[0] }

  /// The workload, and what tells it from others of it.
  var name: String {
    distinction.isEmpty ? configuration.workload : "\(configuration.workload), \(distinction)"
  }

  func series(of key: LegendKey) -> [ReportSeries] { series.filter { $0.key == key } }

  func series(of key: LegendKey, threads: Int) -> ReportSeries? {
    series.first { $0.key == key && $0.threads == threads }
  }
}
