import Benchmarking
import LeakMonitoring
import SeededRandom
import Workloads

/// Validates instances of a class of which a thousand live, as programs make and let go of them.
struct ValidatingWork: RepeatedWork {
  private static let live = 1000
  private static let batch = 250

  private let monitor: MemoryLeakMonitor
  private let column: LimitCatalog.Validation
  /// Filled by who works: a copy elsewhere would keep its objects alive.
  private var living: [Watched] = []
  private var oldest = 0
  private var random: SplitMix64

  init(_ monitor: MemoryLeakMonitor, _ column: LimitCatalog.Validation, seed: Seed) {
    self.monitor = monitor
    self.column = column
    random = SplitMix64(seed: seed)
  }

  mutating func doOnce() async -> TimedOperations {
    if living.isEmpty {
      living = (0..<Self.live).map { _ in Watched(column.max) }
      for object in living { monitor.validate(object) }
    }
    // Made, and their places drawn, before the clock starts.
    let new = (0..<Self.batch).map { _ in Watched(column.max) }
    let places = new.indices.map { index in
      column == .anyDies
        ? Int.random(in: 0..<Self.live, using: &random) : (oldest + index) % Self.live
    }
    oldest = (oldest + Self.batch) % Self.live
    let operations: TimedOperations
    switch column {
    case .oldestDies, .anyDies:
      return await timed(Self.batch) {
        for (object, place) in zip(new, places) {
          living[place] = object
          monitor.validate(object)
        }
      }
    case .belowMaxByCurrent:
      operations = await timed(Self.batch) {
        MemoryLeakMonitor.withIsolation(in: monitor) {
          for object in new { MemoryLeakMonitor.validate(object) }
        }
      }
    case .belowMax, .beyondMax, .manyClasses:
      operations = await timed(Self.batch) {
        for object in new { monitor.validate(object) }
      }
    }
    for (object, place) in zip(new, places) { living[place] = object }
    return operations
  }
}

private final class Watched: MemoryLeakMonitorable, Sendable {
  let max: Int

  init(_ max: Int) {
    self.max = max
  }
}

extension LimitCatalog.Validation {
  fileprivate var max: Int {
    switch self {
    case .belowMax, .belowMaxByCurrent, .manyClasses: 2000
    case .oldestDies, .anyDies: 1000
    case .beyondMax: 500
    }
  }
}
