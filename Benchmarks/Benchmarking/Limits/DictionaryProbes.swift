import Measurements
import WeakCollections
import Workloads

extension LimitProbe {
  /// A trial of a named workload, timed and verified as `run` does; 1e9 / operations a second.
  static func trial(
    _ contestant: Contestant, _ workload: Workload, threads: Int, figure: Figure,
    for limits: [String], _ timing: LimitTiming
  ) -> LimitProbe {
    LimitProbe(for: limits, figures: [figure], estimatedSeconds: timing.both + 0.02) { seed in
      let result = try await TrialSpecification(
        contestant: contestant, workload: workload, threads: threads, size: LimitCatalog.keys,
        seed: seed, number: 1, warmupSeconds: timing.warmupSeconds, seconds: timing.seconds,
        measuresThroughputAlone: true
      ).run()
      return [figure: 1e9 / result.throughput.operationsPerSecond]
    }
  }

  /// Class values that all threads read at one key.
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

/// `value(forKey:)`: a copy, which retains the object, and letting go of it.
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

/// `withValue(forKey:_:)`: the object is read where it is.
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
    guard case .backend(let backend) = design else {
      preconditionFailure("class values are read in backends of ours")
    }
    return try await backend.withDictionary(visitor)
  }
}

extension Figure {
  /// Nanoseconds, all threads together.
  static func dictionary(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.dictionary.rawValue, row, column)
  }

  /// Nanoseconds, all threads together.
  static func threads(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.threads.rawValue, row, column)
  }

  /// Nanoseconds, all threads together.
  static func classValue(_ row: String, _ column: String) -> Figure {
    Figure(LimitCatalog.Table.classValues.rawValue, row, column)
  }
}
