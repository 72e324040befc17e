import Measurements
import WeakCollections

extension LimitProbe {
  /// Retaining and releasing objects before an array has them, and while it has.
  static func tracking(_ contestant: Contestant, _ timing: LimitTiming) -> LimitProbe {
    let figures = [Figure.object("untracked"), .object(contestant.name)]
    return LimitProbe(for: ["tracked"], figures: figures, estimatedSeconds: timing.both) { _ in
      try await contestant.withWeakArray(Track(figures: figures, timing: timing.half))
    }
  }

  /// The benchmark's own loop, and one written by hand, over the same dictionary.
  static var harness: LimitProbe {
    let figures = [Figure.harness("generic"), .harness("by hand")]
    return LimitProbe(for: ["harness"], figures: figures, estimatedSeconds: 0.25) { _ in
      let cost = await HarnessCost.measure()
      return [figures[0]: cost.genericNanoseconds, figures[1]: cost.handWrittenNanoseconds]
    }
  }
}

private struct Track: WeakArrayVisitor {
  typealias Element = Member

  let figures: [Figure]
  let timing: LimitTiming

  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async -> [Figure: Double]
  where A.Element == Member {
    let objects = LiveObjects()
    let loop = BareLoop(objects: objects) { $0.retainAndReleaseAll() }
    let untracked = await timing.nanosecondsPerOperation([loop])
    let array = A()
    for member in objects.members { await array.append(member) }
    let tracked = await timing.nanosecondsPerOperation([loop])
    return withExtendedLifetime(array) { [figures[0]: untracked, figures[1]: tracked] }
  }
}

extension Figure {
  /// Nanoseconds for a retain and a release.
  static func object(_ row: String) -> Figure {
    Figure(LimitCatalog.Table.objects.rawValue, row, "retain + release")
  }

  /// Nanoseconds an operation.
  static func harness(_ row: String) -> Figure {
    Figure(LimitCatalog.Table.harness.rawValue, row, "an operation")
  }
}
