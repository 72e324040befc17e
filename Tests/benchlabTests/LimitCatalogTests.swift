import Benchmarking
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import benchlab

/// Serialized, because some probes count the bytes of the whole process.
@Suite(.serialized) struct LimitCatalogTests {
  private static let timing = LimitTiming(seconds: 0.002, warmupSeconds: 0.001)

  @Test func `every figure of a limit is measured, unless this build lacks the contestant`() {
    let measured = Set(LimitCatalog.probes(Self.timing).flatMap(\.figures))
    let have = Set(CollectionKind.allCases.flatMap { Contestant.all(for: $0).map(\.name) })
    let resting = LimitCatalog.limits.flatMap(\.quantity.figures)
    for figure in resting where !measured.contains(figure) {
      #expect(!have.contains(figure.row), "\(figure)")
    }
    #expect(measured.contains { resting.contains($0) })
  }

  @Test func `each figure is measured by one probe, for limits in the catalog`() {
    let probes = LimitCatalog.probes(Self.timing)
    let figures = probes.flatMap(\.figures)
    #expect(Set(figures).count == figures.count)
    for probe in probes {
      #expect(probe.limits.allSatisfy(LimitCatalog.names.contains))
      #expect(!probe.label.isEmpty)
    }
  }

  @Test func `every probe measures its figures, except bytes in a build that does not count them`()
    async throws
  {
    for probe in LimitCatalog.probes(Self.timing) where probe.limits != ["harness"] {
      let values = try await probe.measure(Seed(3)!)
      let isCounting = AllocatorProbe.isAvailable || probe.limits != ["bytes"]
      #expect(Set(values.keys) == (isCounting ? Set(probe.figures) : []), "\(probe.label)")
      #expect(values.values.allSatisfy { $0.isFinite }, "\(probe.label)")
      // Bytes are those of the whole process, in which other tests free memory; see the next test.
      if probe.limits != ["bytes"] {
        #expect(values.values.allSatisfy { $0 >= 0 }, "\(probe.label)")
      }
    }
  }

  @Test(.enabled(if: AllocatorProbe.isAvailable, "this build does not count bytes"))
  func `no byte figure is negative in a process that does nothing else`() async {
    await #expect(processExitsWith: .success) {
      for probe in LimitCatalog.probes(LimitTiming(seconds: 0.002, warmupSeconds: 0.001))
      where probe.limits == ["bytes"] {
        let values = try await probe.measure(Seed(3)!)
        precondition(values.count == probe.figures.count)
        precondition(values.values.allSatisfy { $0 >= 0 }, "\(values)")
      }
    }
  }

  /// The times are given. To measure them, as `benchlab limits` does, needs a quiet machine.
  @Test func `a contestant that takes fifty times as long misses the bounds of its row`() {
    var trials = FigureTrials()
    for bare in [98.0, 100, 101, 105, 350] {
      trials.add(bare, to: .scan(LimitCatalog.bareLoop, "forEach"))
      trials.add(50 * bare, to: .scan(LimitCatalog.subject, "forEach"))
    }
    let verdicts = LimitCatalog.limits.map { LimitVerdict($0, trials) }
    #expect(verdicts.requirement == .missed)
    #expect(verdicts.filter { $0.requirement == .missed }.map(\.limit.name) == ["weak-array"])
  }

  @Test func `programs in other languages get the same keys and operations as the workers`() {
    let workload = LimitCatalog.dictionaryRows[1].workload
    let tables = WorkerTables.all(for: workload, threads: 2, entries: 64, seed: Seed(9)!)
    #expect(tables.count == 2)
    #expect(tables[0].keys != tables[1].keys)
    #expect(tables.allSatisfy { $0.keys.allSatisfy((0..<64).contains) })
    let writes = tables[0].operations.count { $0 == .insert }
    #expect(writes * 100 == tables[0].operations.count)
  }
}
