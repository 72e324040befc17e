import Measurements
import Primitives
import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

/// Each in a process of its own: the allocator's figures are the whole process's.
@Suite(.enabled(if: LiveBytes.now != nil, "needs the trait Jemalloc"))
struct SoakTests {
  @Test func `mutex and lock-free stay flat, and do nothing wrong`() async {
    await #expect(processExitsWith: .success) {
      let names = [(CollectionKind.weakArray, "churn"), (.dictionary, "exchange")]
      let specifications = names.flatMap { collection, workload in
        Contestant.all(for: collection).filter { ["mutex", "lock-free"].contains($0.name) }
          .map { TrialSpecification.example($0, workload) }
      }
      let verdicts = try await Soak.with(specifications) { soak in
        try await warmUp(soak)
        return try await use(soak).map(\.trend)
      }
      precondition(verdicts == [.flat, .flat, .flat, .flat], "\(verdicts)")
    }
  }

  @Test func `the published array, which never compacts, grows`() async {
    await #expect(processExitsWith: .success) {
      let published = Contestant.all(for: .weakArray).first { $0.name == "published-queue" }!
      let specification = TrialSpecification.example(published, "leak-monitor")
      let verdicts = try await Soak.with([specification]) { try await use($0).map(\.trend) }
      precondition(verdicts == [.growing], "\(verdicts)")
    }
  }

  /// Beside a flat one, so that it is also told whose the leak is.
  @Test func `a planted leak of 16 bytes an append is found, and measured`() async {
    await #expect(processExitsWith: .success) {
      let mutex = Contestant.all(for: .weakArray).first { $0.name == "mutex" }!
      let specifications = [
        TrialSpecification.example(mutex, "churn"), .example(mutex, "exchange"),
      ]
      let series = try await Soak.with(specifications) { specification in
        specification.workload.name == "churn"
          ? await SoakedSubject(specification) { WeakArraySubject(of: LeakingArray.self, $0) }
          : try await specification.makeSoaked()
      } _: {
        try await use($0)
      }
      precondition(series.map(\.trend) == [.growing, .flat], "\(series.map(\.trend))")
      let slope = series[0].bytesPerOperation!.slope
      // Four operations in five append.
      precondition((12...13.6).contains(slope), "\(slope) bytes an operation")
    }
  }

  @Test func `a collection that breaks a promise in a soak is told`() async {
    await #expect(processExitsWith: .success) {
      let mutex = Contestant.all(for: .weakArray).first { $0.name == "mutex" }!
      let reason = try await Soak.with([TrialSpecification.example(mutex, "exchange")]) {
        await SoakedSubject($0) { WeakArraySubject(of: EmptyWeakArray.self, $0) }
      } _: { soak in
        _ = await soak.use(0, forSeconds: 0.01)
        return await soak.verify(0)
      }
      precondition(reason != nil, "an array that drops everything passes")
    }
  }
}

/// Uses each collection for at least 200,000 operations.
///
/// Then each has reached its final size. A weak array behind a lock grows once for all when chance
/// lets 320 appends follow each other without a compaction: once in 20,000 operations of `churn`.
/// On a busy machine, fifty turns of a debug build are that few.
private func warmUp(_ soak: Soak) async throws {
  for index in soak.specifications.indices {
    var operations = 0
    while operations < 200_000 {
      operations = try #require(await soak.use(index, forSeconds: 0.1)).operations
    }
  }
}

/// Fifty turns of each collection, verified.
private func use(_ soak: Soak) async throws -> [SoakSeries] {
  var series = soak.specifications.map { _ in SoakSeries() }
  for _ in 0..<50 {
    for index in series.indices {
      series[index].append(try #require(await soak.use(index, forSeconds: 0.03)))
    }
  }
  for index in series.indices {
    let reason = await soak.verify(index)
    precondition(reason == nil, reason!)
  }
  return series
}

/// Forgets 1,024 bytes with every 64th append.
private final class LeakingArray: SynchronousWeakArray, Sendable {
  private let array = MutexWeakArray<Member>()
  private let appends = Atomic<Int>(0)

  func append(_ element: Member) -> Int {
    let number = appends.wrappingAdd(1, ordering: .relaxed).newValue  // Relaxed: a count.
    if number.isMultiple(of: 64) {
      _ = NodeMemory.allocate(byteCount: 1024, alignment: 8)
    }
    return array.append(element)
  }

  var all: [Member] { array.all }
  var entryCount: Int { array.entryCount }
  func contains(_ element: Member) -> Bool { array.contains(element) }
  func remove(_ element: Member) -> Bool { array.remove(element) }
  func removeAll() { array.removeAll() }
  func compact() -> Int { array.compact() }
}
