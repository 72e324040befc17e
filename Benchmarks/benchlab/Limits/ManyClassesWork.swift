import Benchmarking
import LeakMonitoring

/// Validates instances of sixteen classes in turn, as the threads of a program make and let go of them.
struct ManyClassesWork: RepeatedWork {
  private static let live = 1024
  private static let batch = 256

  private static let makers: [@Sendable () -> any AnyObject & Sendable] = [
    { Kind<Int>() }, { Kind<Int8>() }, { Kind<Int16>() }, { Kind<Int32>() }, { Kind<Int64>() },
    { Kind<UInt>() }, { Kind<UInt8>() }, { Kind<UInt16>() }, { Kind<UInt32>() },
    { Kind<UInt64>() }, { Kind<Float>() }, { Kind<Double>() }, { Kind<Bool>() },
    { Kind<String>() }, { Kind<Character>() }, { Kind<Void>() },
  ]

  private let monitor: MemoryLeakMonitor
  /// Of all classes; the oldest is replaced first.
  private var living: [any AnyObject & Sendable] = []
  private var oldest = 0

  init(_ monitor: MemoryLeakMonitor) {
    self.monitor = monitor
  }

  mutating func doOnce() async -> TimedOperations {
    if living.isEmpty {
      living = Self.objects(Self.live)
      for object in living { monitor.validate(object, max: .max) }
    }
    // Made before the clock starts.
    let new = Self.objects(Self.batch)
    let operations = await timed(Self.batch) {
      for object in new { monitor.validate(object, max: .max) }
    }
    for object in new {
      living[oldest] = object
      oldest = (oldest + 1) % Self.live
    }
    return operations
  }

  private static func objects(_ count: Int) -> [any AnyObject & Sendable] {
    (0..<count).map { makers[$0 % makers.count]() }
  }
}

private final class Kind<Tag>: Sendable {}
