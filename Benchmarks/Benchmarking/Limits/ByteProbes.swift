import EpochReclamation
import Measurements
import Threading
import WeakCollections

extension LimitProbe {
  /// What 10,000 live elements take, what stays on the objects when the array is gone, and what there
  /// is after a million appends of objects that die at once.
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

  /// What 100,000 pairs of integers take an entry, in ours and in the standard library's dictionary.
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

/// One thread for all of it: what waits to be reclaimed waits in its bags and nobody else's.
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
    let tally = Census().tallies[0]
    var kept: [Member] = []
    kept.reserveCapacity(Self.live)
    let none = Self.settled(probe)
    for _ in 0..<Self.live { kept.append(Member(tally)) }
    let alone = Self.settled(probe)
    var array: A? = A()
    for member in kept { await array!.append(member) }
    _ = await array!.count  // Whatever is pending is done.
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
      // In whole bytes: what a thread keeps for itself is less than one for each object.
      .bytes(name, LimitCatalog.bytesOnObject): (Double(max(0, gone - alone)) / live).rounded(
        .down),
      .bytes(name, LimitCatalog.bytesLive): Double(filled - none) / live,
      .bytes(name, LimitCatalog.bytesAfterChurn): Double(churned - none) / live,
    ]
  }

  /// Live bytes when everything that waits to be reclaimed is.
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
