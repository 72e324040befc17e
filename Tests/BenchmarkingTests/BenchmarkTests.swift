import Measurements
import Testing
import WeakCollections
import Workloads

@testable import Benchmarking

/// The example in the comment of `Benchmark`, compiled alone: its trials take seconds.
private func runExample() async throws {
  typealias MyDictionary = MutexDictionary<Int, Int>
  let benchmark = Benchmark(
    of: [
      Contestant(named: "mine", dictionary: MyDictionary.self),
      .named("mutex", for: .dictionary)!,
    ],
    workloads: [try .named("read-heavy", for: .dictionary)], threads: [1, 2])
  let rows = try await benchmark.run()
  print(MeasurementCSV.text(of: rows))
}

/// Serialized, since trials are about time.
@Suite(.serialized) struct BenchmarkTests {
  private func benchmark(
    _ contestants: [Contestant], _ workload: String = "read-heavy"
  ) throws -> Benchmark {
    let subject = try #require(WorkloadSubject(rawValue: contestants[0].collection.rawValue))
    var benchmark = Benchmark(
      of: contestants, workloads: [try .named(workload, for: subject)], threads: [1, 2])
    benchmark.trials = 2
    benchmark.seconds = 0.1
    benchmark.warmupSeconds = 0.005
    benchmark.entries = [64]
    benchmark.seed = Seed(7)!
    return benchmark
  }

  @Test func `a type from elsewhere is measured beside ours, into the same rows`() async throws {
    let benchmark = try benchmark([
      Contestant(named: "their-map", dictionary: MutexDictionary<Int, Int>.self),
      .named("mutex", for: .dictionary)!,
    ])
    var seen = 0
    let rows = try await benchmark.run { _ in seen += 1 }
    #expect(rows.count == 8 && seen == 8)
    #expect(try MeasurementCSV.measurements(in: MeasurementCSV.text(of: rows)) == rows)
    #expect(Set(rows.map(\.configuration.backend)) == ["their-map", "mutex"])
    let theirs = rows.filter { $0.configuration.backend == "their-map" }
    #expect(theirs.allSatisfy { $0.identity.kind == .peer && $0.throughput.operations > 0 })
    #expect(Set(rows.map(\.identity.run)).count == 1)
  }

  @Test func `a weak array from elsewhere is measured, its objects counted`() async throws {
    let mine = Contestant(named: "their-array", weakArray: MutexWeakArray<Member>.self)
    let rows = try await benchmark([mine], "churn").run()
    #expect(rows.count == 4)
  }

  @Test func `a type that breaks a promise ends the run`() async throws {
    let mine = Contestant(named: "forgets", dictionary: EmptyDictionary<Int, Int>.self)
    let benchmark = try benchmark([mine], "exchange")
    await #expect(throws: TrialFailure.self) { try await benchmark.run() }
  }

  @Test func `two names of one type are two contestants, and one is itself`() {
    let one = Contestant(named: "one", dictionary: MutexDictionary<Int, Int>.self)
    #expect(one == Contestant(named: "one", dictionary: MutexDictionary<Int, Int>.self))
    #expect(one != Contestant(named: "two", dictionary: MutexDictionary<Int, Int>.self))
    #expect(one.isStandard)
  }
}
