import Measurements
import Primitives
import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

/// Each test is a process of its own, because the allocator's figures are for the whole process.
@Suite(.enabled(if: LiveBytes.now != nil, "needs the trait Jemalloc"))
struct SoakTests {
  @Test func `mutex and lock-free stay flat and keep their promises`() async {
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
      // Few operations: each visits all entries, whose number never falls.
      let verdicts = try await Soak.with([specification]) {
        try await use($0, operations: 100).map(\.trend)
      }
      precondition(verdicts == [.growing], "\(verdicts)")
    }
  }

  /// A second collection without a leak shows that the leak is attributed to the right one.
  @Test func `a seeded leak of 16 bytes per append is found and measured`() async {
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
      // Four operations of five are appends.
      precondition((12...13.6).contains(slope), "\(slope) bytes per operation")
    }
  }

  @Test func `a broken promise during a soak is reported`() async {
    await #expect(processExitsWith: .success) {
      let mutex = Contestant.all(for: .weakArray).first { $0.name == "mutex" }!
      let reason = try await Soak.with([TrialSpecification.example(mutex, "exchange")]) {
        await SoakedSubject($0) { WeakArraySubject(of: EmptyWeakArray.self, $0) }
      } _: { soak in
        _ = await soak.use(0, operations: 1000)
        return await soak.verify(0)
      }
      precondition(reason != nil, "an array that drops every element passes")
    }
  }
}

/// Executes 200,000 operations on each collection, so that each reaches its final size.
///
/// A weak array behind a lock grows for the last time when, by chance, 320 appends follow each
/// other without a compaction. That happens once in 20,000 operations of `churn`.
private func warmUp(_ soak: Soak) async throws {
  for index in soak.specifications.indices {
    let threads = soak.specifications[index].threads
    _ = try #require(await soak.use(index, operations: 200_000 / threads))
  }
}

/// Runs fifty turns of each collection, of a number of operations, and verifies the collections.
private func use(_ soak: Soak, operations: Int = 5000) async throws -> [SoakSeries] {
  var series = soak.specifications.map { _ in SoakSeries() }
  for _ in 0..<50 {
    for index in series.indices {
      series[index].append(try #require(await soak.use(index, operations: operations)))
    }
  }
  for index in series.indices {
    let reason = await soak.verify(index)
    precondition(reason == nil, reason!)
  }
  return series
}

/// A weak array with a fault: every 64th append leaks 1,024 bytes.
private final class LeakingArray: SynchronousWeakArray, ConcurrentWeakArray, Sendable {
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
