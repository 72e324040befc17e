import Benchmarking
import LeakMonitoring
import Measurements
import Primitives
import SeededRandom
import Threading
import WeakCollections
import Workloads

/// The probes for the costs of the leak monitor: of a validation and of a token.
enum MonitorProbes {
  private static let backends: [Backend] = [.lockFree, .adaptiveLock, .mutex]

  static func all(_ timing: LimitTiming) -> [LimitProbe] {
    [
      probe(LimitCatalog.chosenMonitor, timing) { MemoryLeakMonitor() }, whileOff(timing),
      token(timing),
    ]
      + backends.map { backend in
        probe(backend.rawValue, timing) { MemoryLeakMonitor(backend: backend) }
      }
  }

  private static func probe(
    _ row: String, _ timing: LimitTiming, _ make: @escaping @Sendable () -> MemoryLeakMonitor
  ) -> LimitProbe {
    let columns = LimitCatalog.Validation.allCases
    return LimitProbe(
      for: ["monitor"], figures: columns.map { LimitCatalog.validation(row, $0) },
      estimatedSeconds: timing.both * Double(columns.count)
    ) { seed in
      await enabled(true) {
        var values: [Figure: Double] = [:]
        for column in columns {
          let monitor = make()
          monitor.reporter = .closure { _ in }
          values[LimitCatalog.validation(row, column)] =
            column == .manyClasses
            ? await timing.nanosecondsPerOperation(
              (0..<Host.usableCores).map { _ in ManyClassesWork(monitor) })
            : await timing.nanosecondsPerOperation([ValidatingWork(monitor, column, seed: seed)])
        }
        return values
      }
    }
  }

  private static func whileOff(_ timing: LimitTiming) -> LimitProbe {
    LimitProbe(
      for: ["monitor"], figures: [LimitCatalog.validationWhileOff, LimitCatalog.storedWhileOff],
      estimatedSeconds: timing.both
    ) { _ in
      await enabled(false) {
        let object = Unwatched()
        let nanoseconds = await timing.nanosecondsPerOperation([IdleWork(object: object)])
        return withExtendedLifetime(object) {
          let stored = MemoryLeakMonitor.shared.liveCount(of: Unwatched.self)
          return [
            LimitCatalog.validationWhileOff: nanoseconds,
            LimitCatalog.storedWhileOff: Double(stored),
          ]
        }
      }
    }
  }

  private static func token(_ timing: LimitTiming) -> LimitProbe {
    LimitProbe(
      for: ["monitor"], figures: [LimitCatalog.token], estimatedSeconds: timing.both
    ) { _ in
      await enabled(true) {
        [LimitCatalog.token: await timing.nanosecondsPerOperation([TokenWork()])]
      }
    }
  }

  /// Runs `body` with monitors on or off, independent of the default in this build.
  ///
  /// The switch is global, so trials run one at a time.
  private static func enabled<R>(_ isEnabled: Bool, _ body: () async throws -> R) async rethrows
    -> R
  {
    let wasEnabled = MemoryLeakMonitor.isEnabled
    MemoryLeakMonitor.isEnabled = isEnabled
    defer { MemoryLeakMonitor.isEnabled = wasEnabled }
    return try await body()
  }
}

/// A class whose instances are validated only while monitors are off.
private final class Unwatched: MemoryLeakMonitorable, Sendable {
  var max: Int { 0 }
}

private final class Player: Sendable {
  private let lifetime = LifetimeToken(of: Player.self, max: nil)
}

/// Creates and releases tokens without objects, because creating an object would take longer than
/// creating a token.
private struct TokenWork: RepeatedWork {
  private let living = (0..<1000).map { _ in Player() }

  func doOnce() async -> TimedOperations {
    await timed(1000) {
      for _ in 0..<1000 { _ = LifetimeToken(of: Player.self, max: nil) }
    }
  }
}

private struct IdleWork: RepeatedWork {
  let object: Unwatched

  func doOnce() async -> TimedOperations {
    await timed(1000) { [object] in
      for _ in 0..<1000 { MemoryLeakMonitor.validate(object) }
    }
  }
}

/// Validates instances of a class with 1,000 live instances, while instances are created and
/// released.
struct ValidatingWork: RepeatedWork {
  private static let live = 1000
  private static let batch = 250

  private let monitor: MemoryLeakMonitor
  private let column: LimitCatalog.Validation
  /// The live objects. The measuring thread fills the array, because a copy of it elsewhere would
  /// keep replaced objects alive.
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
    // The objects are created, and their positions drawn, before the clock starts.
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

/// Validates instances of 16 classes in turn, while instances are created and released.
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
  /// The live objects of all classes; the oldest is replaced first.
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
    // The objects are created before the clock starts.
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
