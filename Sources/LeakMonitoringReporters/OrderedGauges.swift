import Metrics
import WeakCollections

/// Gauges of which each ends with the newest value, whichever thread sets it.
///
/// Handlers of metrics are user code, so that a value is recorded outside the lock. In order they are since
/// one thread at a time records in a gauge: another leaves its value to that one.
final class OrderedGauges: Sendable {
  struct Name: Hashable {
    let label: String
    /// A dimension and its value.
    let subject: Subject?
  }

  struct Subject: Hashable {
    let dimension: String
    let name: String
  }

  private struct Setting {
    var gauge: Gauge?
    /// Of the newest value.
    var moment = Int.min
    /// What is to be recorded next.
    var next: Int?
    var isBeingSet = false

    /// Whether the caller is to record what is next.
    mutating func propose(_ value: Int, _ moment: Int) -> Bool {
      guard moment >= self.moment else { return false }
      self.moment = moment
      next = value
      defer { isBeingSet = true }
      return !isBeingSet
    }

    mutating func takeNext() -> Int? {
      isBeingSet = next != nil
      return next.take()
    }
  }

  private let factory: any MetricsFactory
  private let settings = MutexLock<[Name: Setting]>([:])

  init(_ factory: any MetricsFactory) {
    self.factory = factory
  }

  /// Sets a gauge unless a value of a later moment was set.
  func set(_ name: Name, to value: Int, at moment: Int) {
    let isOurs = settings.write { $0[name, default: Setting()].propose(value, moment) }
    guard isOurs else { return }
    let gauge = gauge(name)
    while let value = settings.write({ $0[name]?.takeNext() }) { gauge.record(value) }
  }

  /// Made outside the lock: the factory is anybody's. Made once, since one thread at a time sets a gauge.
  private func gauge(_ name: Name) -> Gauge {
    if let gauge = settings.read({ $0[name]?.gauge }) { return gauge }
    let made = Gauge(
      label: name.label, dimensions: name.subject.map { [($0.dimension, $0.name)] } ?? [],
      factory: factory)
    settings.write { $0[name]?.gauge = made }
    return made
  }
}
