import Charts
import Measurements

/// All that was measured of one workload of one collection in open loops.
///
/// Nobody wins there: contestants at a share of their own capacity are due at different rates, and at one rate
/// all do the same number of operations. What there is to see is how service times and intended times differ.
struct OpenLoopPanel: ChartedPanel {
  /// Without a backend, a number of threads and a target.
  let configuration: Measurement.Configuration
  /// By the legend's order, then by threads.
  let series: [ReportSeries]
  let cores: Int
  let distinction: String

  var name: String {
    ["\(configuration.workload), open loop", distinction].filter { !$0.isEmpty }
      .joined(separator: ", ")
  }

  /// What one pair of charts shows: how many threads, and how often operations are due.
  struct Setting: Hashable {
    let threads: Int
    /// `nil` if the target was given, and is the same for all.
    let loadPercent: Int?
    let target: Double?

    init(of configuration: Measurement.Configuration) {
      threads = configuration.threads
      loadPercent = configuration.pace.loadPercent
      // Each contestant's own, if it is a share of its capacity.
      target = loadPercent == nil ? configuration.pace.targetOperationsPerSecond : nil
    }

    var text: String {
      "\(Panel.threadsText(threads)), " + (loadPercent.map { "\($0) % of capacity" } ?? rateText)
    }

    /// In words of letters, digits and hyphens.
    var fileText: String {
      let rate =
        loadPercent.map { "\($0)-percent" } ?? target.map { "\(Int(min($0, 1e15)))-per-second" }
      return "\(threads)-threads-\(rate ?? "any-rate")"
    }

    private var rateText: String { "\(NumberText.rate(target)) operations/s" }

    fileprivate var place: (Int, Int, Double) { (threads, loadPercent ?? 0, target ?? 0) }
  }

  /// By threads, then by load.
  var settings: [Setting] {
    series.map(setting).withoutRepetitions.sorted { $0.place < $1.place }
  }

  /// The most that is asked where each thread has a core.
  var telling: Setting { settings.last { $0.threads <= cores } ?? settings[0] }

  func series(in setting: Setting) -> [ReportSeries] {
    series.filter { self.setting(of: $0) == setting }
  }

  private func setting(of series: ReportSeries) -> Setting {
    Setting(of: series.summary.series.configuration)
  }
}

/// What has charts under a name.
protocol ChartedPanel: Sendable {
  var configuration: Measurement.Configuration { get }
  var name: String { get }
  var charts: [Panel.NamedChart] { get }
}
