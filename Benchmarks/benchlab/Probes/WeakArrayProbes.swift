import Benchmarking
import CShims
import Measurements
import Primitives
import Threading
import WeakCollections

extension LimitProbe {
  /// Returns a probe for `forEach` and `all` over 1,000 live elements.
  ///
  /// - Parameters:
  ///   - contestant: The weak array.
  ///   - includesBareLoops: Whether to measure bare loops over the same objects as well, before
  ///     they are appended to the array.
  ///   - timing: The durations.
  static func scan(
    _ contestant: Contestant, includesBareLoops: Bool, _ timing: LimitTiming
  ) -> LimitProbe {
    let contestants =
      includesBareLoops ? [LimitCatalog.bareLoop, contestant.name] : [contestant.name]
    let figures = contestants.flatMap { [Figure.scan($0, "forEach"), Figure.scan($0, "all")] }
    return LimitProbe(
      for: ["weak-array"], figures: figures,
      estimatedSeconds: Double(figures.count) * timing.both / 2
    ) { _ in
      try await contestant.withWeakArray(
        Scan(name: contestant.name, includesBareLoops: includesBareLoops, timing: timing.half))
    }
  }

  /// Returns a probe for the operations of one thread on its own array, and of two threads on two.
  ///
  /// A bare loop over separate objects shows how much throughput a second thread gains on this
  /// machine.
  static func alone<A: ConcurrentWeakArray & SynchronousWeakArray & Sendable>(
    _ type: A.Type, named name: String, _ timing: LimitTiming
  ) -> LimitProbe where A.Element == Member {
    LimitProbe(
      for: ["weak-array"],
      figures: LimitCatalog.aloneColumns.map { .alone(name, $0) }
        + LimitCatalog.bareColumns.map { .alone(LimitCatalog.bareLoop, $0) },
      estimatedSeconds: 3 * timing.both
    ) { _ in await runAlone(type, named: name, timing.half) }
  }

  private static func runAlone<A: ConcurrentWeakArray & SynchronousWeakArray & Sendable>(
    _ type: A.Type, named name: String, _ timing: LimitTiming
  ) async -> [Figure: Double] where A.Element == Member {
    var values: [Figure: Double] = [:]
    for threads in [1, 2] {
      let scans = (0..<threads).map { _ in
        let scan = ForEach(array: A(), objects: LiveObjects())
        scan.objects.forEach { member in scan.array.append(member) }
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
  let includesBareLoops: Bool
  let timing: LimitTiming

  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async -> [Figure: Double]
  where A.Element == Member {
    let objects = LiveObjects()
    var values: [Figure: Double] = [:]
    if includesBareLoops {
      let bare = BareLoop(objects: objects) { $0.promoteAll() }
      values[.scan(LimitCatalog.bareLoop, "forEach")] =
        await timing.nanosecondsPerOperation([bare])
      let bareLoopIntoArray = BareLoop(objects: objects) { $0.promoteAllIntoArray() }
      values[.scan(LimitCatalog.bareLoop, "all")] =
        await timing.nanosecondsPerOperation([bareLoopIntoArray])
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
  /// Returns a figure in nanoseconds per element.
  static func scan(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.scans.rawValue, row, column)
  }

  /// Returns a figure in nanoseconds per element of all threads together.
  static func alone(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.ownArrays.rawValue, row, column)
  }
}

/// `forEach` over elements that are all alive.
struct ForEach<A: ConcurrentWeakArray & Sendable>: RepeatedWork where A.Element == Member {
  let array: A
  let objects: LiveObjects

  func doOnce() async -> TimedOperations {
    await timed(LiveObjects.count) {
      await array.forEach { member in
        consume(Int(bitPattern: Unmanaged.passUnretained(member).toOpaque()))
      }
    }
  }
}

/// The snapshot `all`, and its release.
struct TakeAll<A: ConcurrentWeakArray & Sendable>: RepeatedWork where A.Element == Member {
  let array: A
  let objects: LiveObjects

  func doOnce() async -> TimedOperations {
    await timed(LiveObjects.count) { consume(await array.all.count) }
  }
}

/// Appends to empty arrays. The time includes their growth, but not their creation and release.
struct AppendAll<A: SynchronousWeakArray & Sendable>: RepeatedWork where A.Element == Member {
  let objects: LiveObjects

  private static var arrays: Int { 16 }

  func doOnce() async -> TimedOperations {
    let arrays = (0..<Self.arrays).map { _ in A() }
    return await timed(Self.arrays * LiveObjects.count) {
      for array in arrays {
        objects.forEach { member in consume(array.append(member)) }
      }
    }
  }
}

extension LimitProbe {
  /// Returns a probe for retaining and releasing objects, before and while they are in a weak
  /// array.
  static func tracking(_ contestant: Contestant, _ timing: LimitTiming) -> LimitProbe {
    let figures = [Figure.object("untracked"), .object(contestant.name)]
    return LimitProbe(for: ["tracked"], figures: figures, estimatedSeconds: timing.both) { _ in
      try await contestant.withWeakArray(Track(figures: figures, timing: timing.half))
    }
  }

  /// The probe for the benchmark's loop and a hand-written loop, over the same dictionary.
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
  /// Returns a figure in nanoseconds for a retain and a release.
  static func object(_ row: String) -> Figure {
    Figure(LimitCatalog.Table.objects.rawValue, row, "retain + release")
  }

  /// Returns a figure in nanoseconds per operation.
  static func harness(_ row: String) -> Figure {
    Figure(LimitCatalog.Table.harness.rawValue, row, "an operation")
  }
}

/// 1,000 live objects without a collection. Bare loops over them are compared with loops over a
/// weak array.
final class LiveObjects: @unchecked Sendable {
  // @unchecked: immutable.
  static let count = 1000

  let members: [Member]
  private let addresses: UnsafeMutableBufferPointer<UnsafeMutableRawPointer>

  init() {
    let tally = LifetimeCounter().tallies[0]
    members = (0..<Self.count).map { _ in Member(tally) }
    addresses = .allocate(capacity: Self.count)
    _ = addresses.initialize(
      from: members.map { Unmanaged.passUnretained($0).toOpaque() })
  }

  deinit { addresses.deallocate() }

  /// Calls `body` with each object. A loop over `members` would retain and release each object,
  /// which is a considerable fraction of the cost of an append.
  @inline(__always)
  func forEach(_ body: (Member) -> Void) {
    for address in addresses {
      Unmanaged<Member>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
    }
  }

  /// Promotes and releases each object.
  @inline(never)
  func promoteAll() {
    for address in addresses {
      guard let object = promote(address) else { continue }
      consume(Int(bitPattern: object))
      Unmanaged<Member>.fromOpaque(object).release()
    }
  }

  /// Promotes each object into an array with sufficient capacity, and releases the array.
  @inline(never)
  func promoteAllIntoArray() {
    var promoted: [Member] = []
    promoted.reserveCapacity(Self.count)
    for address in addresses {
      guard let object = promote(address) else { continue }
      promoted.append(Unmanaged<Member>.fromOpaque(object).takeRetainedValue())
    }
    consume(promoted.count)
  }

  /// Retains each object, then releases each object. There are two loops because the optimizer
  /// could remove a retain followed by its release.
  @inline(never)
  func retainAndReleaseAll() {
    for address in addresses { _ = Unmanaged<Member>.fromOpaque(address).retain() }
    for address in addresses { Unmanaged<Member>.fromOpaque(address).release() }
  }
}

/// Promotes an object as weak slots do on Linux. On other systems, retains the object instead,
/// which is not slower.
@inline(__always)
private func promote(_ address: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  #if os(Linux)
    swift_tryRetain(address)
  #else
    Unmanaged<Member>.fromOpaque(address).retain().toOpaque()
  #endif
}

/// A loop over live objects, which runs several times between two readings of the clock.
struct BareLoop: RepeatedWork {
  let objects: LiveObjects
  let loop: @Sendable (LiveObjects) -> Void

  private static let passes = 8

  func doOnce() async -> TimedOperations {
    await timed(Self.passes * LiveObjects.count) {
      for _ in 0..<Self.passes { loop(objects) }
    }
  }
}
