import Measurements
import WeakCollections

extension LimitProbe {
  /// `forEach` and `all` over 1,000 live elements; for `baring`, first bare loops over the same objects
  /// before the array has them.
  static func scan(
    _ contestant: Contestant, baring: Bool, _ timing: LimitTiming
  ) -> LimitProbe {
    let contestants = baring ? [LimitCatalog.bareLoop, contestant.name] : [contestant.name]
    let figures = contestants.flatMap { [Figure.scan($0, "forEach"), Figure.scan($0, "all")] }
    return LimitProbe(
      for: ["weak-array"], figures: figures,
      estimatedSeconds: Double(figures.count) * timing.both / 2
    ) { _ in
      try await contestant.withWeakArray(
        Scan(name: contestant.name, baring: baring, timing: timing.half))
    }
  }

  /// An operation of one thread on an array of its own, and of two threads on two; and a bare loop over
  /// objects of its own, which shows what a second thread of this machine is worth.
  static func alone<A: SynchronousWeakArray & Sendable>(
    _ type: A.Type, named name: String, _ timing: LimitTiming
  ) -> LimitProbe where A.Element == Member {
    LimitProbe(
      for: ["weak-array"],
      figures: LimitCatalog.aloneColumns.map { .alone(name, $0) }
        + LimitCatalog.bareColumns.map { .alone(LimitCatalog.bareLoop, $0) },
      estimatedSeconds: 3 * timing.both
    ) { _ in await runAlone(type, named: name, timing.half) }
  }

  private static func runAlone<A: SynchronousWeakArray & Sendable>(
    _ type: A.Type, named name: String, _ timing: LimitTiming
  ) async -> [Figure: Double] where A.Element == Member {
    var values: [Figure: Double] = [:]
    for threads in [1, 2] {
      let scans = (0..<threads).map { _ in
        let scan = ForEach(array: A(), objects: LiveObjects())
        for member in scan.objects.members { scan.array.append(member) }
        return scan
      }
      values[.alone(name, "forEach ×\(threads)")] = await timing.nanosecondsPerOperation(scans)
      let bare = scans.map { BareLoop(objects: $0.objects) { $0.promoteAll() } }
      values[.alone(LimitCatalog.bareLoop, "forEach ×\(threads)")] =
        await timing.nanosecondsPerOperation(bare)
      let appends = scans.map { AppendAll<A>(objects: $0.objects) }
      values[.alone(name, "append ×\(threads)")] = await timing.nanosecondsPerOperation(appends)
    }
    return values
  }
}

private struct Scan: WeakArrayVisitor {
  typealias Element = Member

  let name: String
  let baring: Bool
  let timing: LimitTiming

  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async -> [Figure: Double]
  where A.Element == Member {
    let objects = LiveObjects()
    var values: [Figure: Double] = [:]
    if baring {
      let bare = BareLoop(objects: objects) { $0.promoteAll() }
      values[.scan(LimitCatalog.bareLoop, "forEach")] =
        await timing.nanosecondsPerOperation([bare])
      let barest = BareLoop(objects: objects) { $0.promoteAllIntoArray() }
      values[.scan(LimitCatalog.bareLoop, "all")] =
        await timing.nanosecondsPerOperation([barest])
    }
    let array = A()
    for member in objects.members { await array.append(member) }
    values[.scan(name, "forEach")] =
      await timing.nanosecondsPerOperation([ForEach(array: array, objects: objects)])
    values[.scan(name, "all")] =
      await timing.nanosecondsPerOperation([TakeAll(array: array, objects: objects)])
    return values
  }
}

extension Figure {
  /// Nanoseconds an element.
  static func scan(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.scans.rawValue, row, column)
  }

  /// Nanoseconds an element, all threads together.
  static func alone(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.ownArrays.rawValue, row, column)
  }
}
