import Benchmarking
import LeakMonitoring
import Measurements
import Primitives
import Threading
import WeakCollections

/// What a validation costs one thread.
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

  /// With monitors on or off, whichever they are in this build. Trials run one at a time.
  private static func enabled<R>(_ isEnabled: Bool, _ body: () async throws -> R) async rethrows
    -> R
  {
    let wasEnabled = MemoryLeakMonitor.isEnabled
    MemoryLeakMonitor.isEnabled = isEnabled
    defer { MemoryLeakMonitor.isEnabled = wasEnabled }
    return try await body()
  }
}

/// What is never validated while monitors are on.
private final class Unwatched: MemoryLeakMonitorable, Sendable {
  var max: Int { 0 }
}

private final class Player: Sendable {
  private let lifetime = LifetimeToken(of: Player.self, max: nil)
}

/// The tokens alone: making an object takes longer.
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
