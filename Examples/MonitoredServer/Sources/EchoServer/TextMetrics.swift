import Metrics
import Synchronization

/// The gauges of the program as text. A real server bootstraps the client of its metrics system
/// instead.
final class TextMetrics: MetricsFactory {
  private let values = Mutex<[String: Int64]>([:])

  /// A line for each gauge, sorted, as in `leak_monitor_live_instances{type="App.Session"} 7`.
  var text: String {
    values.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    let list = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
    return GaugeHandler(name: list.isEmpty ? label : "\(label){\(list)}", metrics: self)
  }

  fileprivate func set(_ name: String, to value: Int64) {
    values.withLock { $0[name] = value }
  }

  // The leak monitor has gauges only.
  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    NOOPMetricsHandler.instance
  }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    NOOPMetricsHandler.instance
  }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

private final class GaugeHandler: RecorderHandler {
  private let name: String
  private let metrics: TextMetrics

  init(name: String, metrics: TextMetrics) {
    self.name = name
    self.metrics = metrics
  }

  func record(_ value: Int64) { metrics.set(name, to: value) }
  func record(_ value: Double) { metrics.set(name, to: Int64(value)) }
}
