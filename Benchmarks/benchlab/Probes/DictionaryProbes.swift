import Benchmarking
import EpochReclamation
import Measurements
import Threading
import WeakCollections
import Workloads

extension LimitProbe {
  /// Returns a probe for a trial of a named workload, timed and verified as by `weakbench run`.
  ///
  /// The figure is 1e9 divided by the operations per second.
  static func trial(
    _ contestant: Contestant, _ workload: Workload, threads: Int, figure: Figure,
    for limits: [String], _ timing: LimitTiming
  ) -> LimitProbe {
    LimitProbe(for: limits, figures: [figure], estimatedSeconds: timing.both + 0.02) { seed in
      let result = try await TrialSpecification(
        contestant: contestant, workload: workload, threads: threads, entries: LimitCatalog.keys,
        seed: seed, number: 1, warmupSeconds: timing.warmupSeconds, seconds: timing.seconds,
        measuresThroughputAlone: true
      ).run()
      return [figure: 1e9 / result.throughput.operationsPerSecond]
    }
  }

  /// Returns a probe for class values that all threads read at the same key.
  static func classValues(_ contestant: Contestant, _ timing: LimitTiming) -> LimitProbe {
    LimitProbe(
      for: ["class-values"],
      figures: LimitCatalog.classValueColumns.map { .classValue(contestant.name, $0) },
      estimatedSeconds: 2 * timing.both
    ) { _ in
      try await contestant.withMemberDictionary(
        ReadOneKey(name: contestant.name, timing: timing.half))
    }
  }
}

private struct ReadOneKey: DictionaryVisitor {
  typealias Key = Int
  typealias Value = Member

  let name: String
  let timing: LimitTiming

  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async -> [Figure: Double]
  where D.Key == Int, D.Value == Member {
    let dictionary = D()
    let objects = LiveObjects()
    for (key, member) in objects.members.enumerated() {
      await dictionary.setValue(member, forKey: key)
    }
    var values: [Figure: Double] = [:]
    for threads in [1, 2] {
      let copies = (0..<threads).map { _ in CopyValue(dictionary: dictionary) }
      values[.classValue(name, "value ×\(threads)")] =
        await timing.nanosecondsPerOperation(copies)
      let borrows = (0..<threads).map { _ in BorrowValue(dictionary: dictionary) }
      values[.classValue(name, "withValue ×\(threads)")] =
        await timing.nanosecondsPerOperation(borrows)
    }
    return values
  }
}

/// Reads by `value(forKey:)`: a read retains the object and then releases it.
private struct CopyValue<D: ConcurrentDictionary & Sendable>: RepeatedWork
where D.Key == Int, D.Value == Member {
  let dictionary: D

  func doOnce() async -> TimedOperations {
    await timed(LimitCatalog.readsOfOneKey) {
      for _ in 0..<LimitCatalog.readsOfOneKey {
        guard let member = await dictionary.value(forKey: LimitCatalog.oneKey) else { continue }
        consume(member.isAlive() ? 1 : 0)
      }
    }
  }
}

/// Reads by `withValue(forKey:_:)`: a read accesses the object without retaining it.
private struct BorrowValue<D: ConcurrentDictionary & Sendable>: RepeatedWork
where D.Key == Int, D.Value == Member {
  let dictionary: D

  func doOnce() async -> TimedOperations {
    await timed(LimitCatalog.readsOfOneKey) {
      for _ in 0..<LimitCatalog.readsOfOneKey {
        let isAlive = await dictionary.withValue(forKey: LimitCatalog.oneKey) { $0.isAlive() }
        consume(isAlive == true ? 1 : 0)
      }
    }
  }
}

extension Contestant {
  fileprivate func withMemberDictionary<V: DictionaryVisitor>(
    _ visitor: V
  ) async throws -> V.Output {
    guard let backend else {
      fatalError("'\(name)' is not a backend of this package; pass a backend")
    }
    return try await backend.withDictionary(visitor)
  }
}

extension Figure {
  /// Returns a figure in nanoseconds of all threads together, on two threads.
  static func dictionary(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.dictionary.rawValue, row, column)
  }

  /// Returns a figure in nanoseconds of all threads together, on other numbers of threads.
  static func threads(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.threads.rawValue, row, column)
  }

  /// Returns a figure in nanoseconds of all threads together, for class values.
  static func classValue(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.classValues.rawValue, row, column)
  }
}

extension LimitProbe {
  /// Returns a probe for the bytes of 10,000 live elements, the bytes left on the objects after the
  /// array is deallocated, and the bytes after a million appends of objects that die immediately.
  static func arrayBytes(_ contestant: Contestant) -> LimitProbe {
    LimitProbe(
      for: ["bytes"],
      figures: ArrayBytes.columns.map { .bytes(contestant.name, $0) }, estimatedSeconds: 0.6
    ) { _ in
      guard AllocatorProbe.isAvailable else { return [:] }
      return try await onOwnThread {
        try await contestant.withWeakArray(ArrayBytes(name: contestant.name))
      }
    }
  }

  /// Returns a probe for the bytes per entry of 100,000 pairs of integers.
  static func dictionaryBytes(_ contestant: Contestant) -> LimitProbe {
    let figure = Figure.bytes(contestant.name, LimitCatalog.bytesPerPair)
    return LimitProbe(for: ["bytes"], figures: [figure], estimatedSeconds: 0.1) { _ in
      guard AllocatorProbe.isAvailable else { return [:] }
      let bytes = try await onOwnThread {
        try await contestant.withDictionary(DictionaryBytes())
      }
      return [figure: bytes]
    }
  }
}

/// Runs `body` on one owned thread, so that all retired objects are in that thread's bags.
private func onOwnThread<R: Sendable>(_ body: @Sendable () async throws -> R) async throws -> R {
  try await OwnedThreadExecutor.with(1) { threads in
    try await withTaskExecutorPreference(threads[0], operation: body)
  }
}

private struct ArrayBytes: WeakArrayVisitor {
  typealias Element = Member

  static let columns = [
    LimitCatalog.bytesPerElement, LimitCatalog.bytesOnObject, LimitCatalog.bytesLive,
    LimitCatalog.bytesAfterChurn,
  ]
  private static let live = 10_000
  private static let churn = 1_000_000

  let name: String

  func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async -> [Figure: Double]
  where A.Element == Member {
    let probe = AllocatorProbe()
    let tally = LifetimeCounter().tallies[0]
    var kept: [Member] = []
    kept.reserveCapacity(Self.live)
    let none = Self.settled(probe)
    for _ in 0..<Self.live { kept.append(Member(tally)) }
    let alone = Self.settled(probe)
    var array: A? = A()
    for member in kept { await array!.append(member) }
    _ = await array!.count  // Waits for pending appends.
    let filled = Self.settled(probe)
    for _ in 0..<Self.churn { await array!.append(Member(tally)) }
    _ = await array!.entryCount
    let churned = probe.bytes.live
    array = nil
    let gone = Self.settled(probe)
    return withExtendedLifetime(kept) {
      values(none: none, alone: alone, filled: filled, churned: churned, gone: gone)
    }
  }

  private func values(
    none: Int, alone: Int, filled: Int, churned: Int, gone: Int
  ) -> [Figure: Double] {
    let live = Double(Self.live)
    return [
      .bytes(name, LimitCatalog.bytesPerElement): Double(filled - alone) / live,
      // Rounded down, because a thread keeps some memory for itself: less than one byte per object.
      .bytes(name, LimitCatalog.bytesOnObject): (Double(max(0, gone - alone)) / live).rounded(
        .down),
      .bytes(name, LimitCatalog.bytesLive): Double(filled - none) / live,
      .bytes(name, LimitCatalog.bytesAfterChurn): Double(churned - none) / live,
    ]
  }

  /// Returns the live bytes after the reclamation of all retired objects.
  private static func settled(_ probe: borrowing AllocatorProbe) -> Int {
    for _ in 0..<4 { EpochDomain.shared.advance() }
    return probe.bytes.live
  }
}

private struct DictionaryBytes: DictionaryVisitor {
  typealias Key = Int
  typealias Value = Int

  private static let entries = 100_000

  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async -> Double
  where D.Key == Int, D.Value == Int {
    let probe = AllocatorProbe()
    let before = probe.bytes.live
    let dictionary = D()
    for key in 0..<Self.entries { await dictionary.setValue(key, forKey: key) }
    for _ in 0..<4 { EpochDomain.shared.advance() }
    let after = probe.bytes.live
    return withExtendedLifetime(dictionary) { Double(after - before) / Double(Self.entries) }
  }
}

extension Figure {
  static func bytes(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.bytes.rawValue, row, column)
  }
}
