import Benchmarking
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import benchlab

/// Serialized, since some probes count the bytes of the whole process.
@Suite(.serialized) struct LimitCatalogTests {
  private static let timing = LimitTiming(seconds: 0.002, warmupSeconds: 0.001)

  @Test func `every figure that a limit rests on is measured, but for what this build lacks`() {
    let measured = Set(LimitCatalog.probes(Self.timing).flatMap(\.figures))
    let have = Set(CollectionKind.allCases.flatMap { Contestant.all(for: $0).map(\.name) })
    let resting = LimitCatalog.limits.flatMap(\.quantity.figures)
    for figure in resting where !measured.contains(figure) {
      #expect(!have.contains(figure.row), "\(figure)")
    }
    #expect(measured.contains { resting.contains($0) })
  }

  @Test func `a figure is measured by one probe, and for limits that there are`() {
    let probes = LimitCatalog.probes(Self.timing)
    let figures = probes.flatMap(\.figures)
    #expect(Set(figures).count == figures.count)
    for probe in probes {
      #expect(probe.limits.allSatisfy(LimitCatalog.names.contains))
      #expect(!probe.label.isEmpty)
    }
  }

  @Test func `every probe gives its figures a value, but for bytes where nothing counts them`()
    async throws
  {
    for probe in LimitCatalog.probes(Self.timing) where probe.limits != ["harness"] {
      let values = try await probe.measure(Seed(3)!)
      let isCounting = AllocatorProbe.isAvailable || probe.limits != ["bytes"]
      #expect(Set(values.keys) == (isCounting ? Set(probe.figures) : []), "\(probe.label)")
      #expect(values.values.allSatisfy { $0.isFinite }, "\(probe.label)")
      // Bytes are those of the whole process, where other tests give back what they had: see below.
      if probe.limits != ["bytes"] {
        #expect(values.values.allSatisfy { $0 >= 0 }, "\(probe.label)")
      }
    }
  }

  @Test(.enabled(if: AllocatorProbe.isAvailable, "nothing counts bytes in this build"))
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

  @Test func `a contestant that is planted slow misses the bounds of its row`() async throws {
    let objects = LiveObjects()
    var trials = FigureTrials()
    // Several: of one, a busy machine may take away the processor for as long as fifty scans.
    for _ in 0..<15 {
      let bare = await Self.timing.nanosecondsPerOperation(
        [BareLoop(objects: objects) { $0.promoteAll() }])
      let slow = await Self.timing.nanosecondsPerOperation(
        [BareLoop(objects: objects) { for _ in 0..<50 { $0.promoteAll() } }])
      trials.add(bare, to: .scan(LimitCatalog.bareLoop, "forEach"))
      trials.add(slow, to: .scan(LimitCatalog.subject, "forEach"))
    }
    let verdicts = LimitCatalog.limits.map { LimitVerdict($0, trials) }
    #expect(verdicts.requirement == .missed)
    #expect(verdicts.filter { $0.requirement == .missed }.map(\.limit.name) == ["weak-array"])
  }

  @Test func `other programs get the keys and operations of our workers`() {
    let workload = LimitCatalog.dictionaryRows[1].workload
    let tables = WorkerTables.all(for: workload, threads: 2, entries: 64, seed: Seed(9)!)
    #expect(tables.count == 2)
    #expect(tables[0].keys != tables[1].keys)
    #expect(tables.allSatisfy { $0.keys.allSatisfy((0..<64).contains) })
    let writes = tables[0].operations.count { $0 == .insert }
    #expect(writes * 100 == tables[0].operations.count)
  }
}
