import Measurements
import Primitives
import Testing
import Threading
import WeakCollections
import Workloads

@testable import Benchmarking

/// Errors that are common in byte figures, and that the benchmark must not make.
///
/// Most tests run in a process of their own, because they measure the memory of a whole process.
@Suite(.serialized, .enabled(if: AllocatorProbe.isAvailable, "needs the trait Jemalloc"))
struct BytePitfallsTests {
  @Test func `1: free memory in thread caches is not live`() async {
    await #expect(processExitsWith: .success) {
      let change = changeOfThreads(startedBefore: true) { Block.allocateAndFree(1000) }
      #expect(change.cached > 0, "the threads cache what they freed")
      #expect(change.live == 0 && change.statistics == 0, "\(change) is not 0 live")
    }
  }

  @Test func `2: the allocator's data for each thread is not live`() async {
    await #expect(processExitsWith: .success) {
      let change = changeOfThreads(startedBefore: false) { Block.allocateAndFree(1000) }
      #expect(change.statistics > 8 * 16_384, "threads have caches: \(change)")
      #expect(change.live < 8 * 1024, "\(change) is more than the start of the threads allocates")
      let bytes = await bytesOfNothing(threads: 8)
      #expect(bytes?.livePerEntry == 0, "\(bytes?.livePerEntry ?? .nan) bytes per entry")
    }
  }

  @Test func `3: pages that stay resident are not live`() async {
    await #expect(processExitsWith: .success) {
      let change = change { Block.allocateAndFree(512, of: 32 << 10) }
      #expect(change.resident > 1 << 20, "pages stay: \(change)")
      #expect(change.live == 0, "\(change) is not 0 live")
    }
  }

  @Test func `4: every allocation of a thread counts, and no thread cache is flushed`() async {
    await #expect(processExitsWith: .success) {
      let change = changeOfThreads(startedBefore: true) { Block.allocate(20) }
      #expect(change.requests < 8 * 20, "statistics lag behind: \(change)")
      #expect(change.live == 8 * 20 * 64, "\(change) is not \(8 * 20 * 64) live")
    }
  }

  @Test func `5: a trial never refreshes jemalloc's statistics, which takes every lock`() async {
    await #expect(processExitsWith: .success) {
      let epoch = JemallocStatistics.epoch
      let result = try await exampleOfRoles(on: .threads).run()
      #expect(result.bytes.allocatedPerOperation != nil, "the trial counts bytes")
      #expect(
        epoch != nil && JemallocStatistics.epoch == epoch,
        "the trial did not refresh the statistics")
      _ = LiveBytes.now
      #expect(JemallocStatistics.epoch != epoch, "a refresh changes the epoch")
    }
  }

  @Test(arguments: Driver.allCases)
  func `6: a role has byte figures if its workers own their threads, a trial always has them`(
    _ driver: Driver
  ) async throws {
    let result = try await exampleOfRoles(on: driver).run()
    #expect(result.bytes.allocatedPerOperation != nil)
    #expect(result.roles.count == 2)
    for role in result.roles {
      #expect((role.allocatedBytesPerOperation != nil) == driver.ownsThreads)
      #expect((role.freedBytesPerOperation != nil) == driver.ownsThreads)
    }
  }

  @Test
  func `7: freed bytes count for the worker that frees them, and the sums match the process's`()
    async
  {
    await #expect(processExitsWith: .success) {
      let report = try #require(await bytes(of: { Passing($0) }, operations: [1000, 1000]))
      let maker = try #require(report.perOperation(ofWorkers: 0..<1))
      let taker = try #require(report.perOperation(ofWorkers: 1..<2))
      let all = try #require(report.perOperation(ofWorkers: 0..<2))
      #expect(abs(maker.allocated - 64) < 1 && maker.freed < 1, "\(maker)")
      #expect(taker.allocated < 1 && abs(taker.freed - 64) < 1, "\(taker)")
      #expect(all.allocated == report.bytes.allocatedPerOperation, "\(all) and \(report.bytes)")
      #expect(all.freed == report.bytes.freedPerOperation, "\(all) and \(report.bytes)")
    }
  }

  @Test func `7: the workers' bytes of a collection add up to the process's bytes`() async {
    await #expect(processExitsWith: .success) {
      let report = try #require(
        await bytes(
          of: { DictionarySubject<ObjectEntries>(of: MutexDictionary.self, $0) },
          operations: [4000, 4000], workload: "ycsb-f"))
      let all = try #require(report.perOperation(ofWorkers: 0..<2))
      #expect(all.allocated > 0 && all.freed > 0, "values are made and freed")
      #expect(all.allocated == report.bytes.allocatedPerOperation, "\(all) and \(report.bytes)")
      #expect(all.freed == report.bytes.freedPerOperation, "\(all) and \(report.bytes)")
    }
  }

  @Test func `8: pages returned to the system change no figure`() async {
    await #expect(processExitsWith: .success) {
      Block.allocateAndFree(512, of: 32 << 10)
      let change = change { JemallocStatistics.purge() }
      #expect(change.resident < -(1 << 20), "pages were returned: \(change)")
      #expect(change.live == 0 && change.statistics == 0, "\(change) is not 0 live")
    }
  }

  @Test func `9: the timed phase counts no bytes, and the byte phase is not timed`() async {
    await #expect(processExitsWith: .success) {
      // The verification of `Watching` fails if an operation of the timed phase was counted.
      let trial = Trial(specification: .example()) { Watching($0) }
      let result = try await trial.run()
      #expect(
        result.bytes.allocatedPerOperation.map { abs($0 - 64) < 1 } == true, "all were counted")
    }
  }

  @Test func `9: a row names the allocator that served it`() {
    #expect(EnvironmentProbe.environment(machine: "here").allocator == "jemalloc")
    #expect(MeasurementCSV.columnNames.contains("allocator"))
  }

  @Test func `10: a decrease of live bytes yields no figure, and no change yields 0`() async {
    await #expect(processExitsWith: .success) {
      let shrunk = await bytes(of: { Filling<Shrinking>($0) }, operations: [200])
      #expect(shrunk?.bytes.allocatedPerOperation == 0, "operations were counted")
      #expect(shrunk?.bytes.livePerEntry == nil, "a negative difference is no figure")
      let same = await bytes(of: { Filling<Staying>($0) }, operations: [200])
      #expect(same?.bytes.livePerEntry == 0, "0 is a figure")
    }
  }

  @Test func `11: counters may overflow between two readings`() {
    let before = ThreadBytes(allocated: .max - 27, freed: .max)
    let after = ThreadBytes(allocated: 100, freed: 0)
    #expect(after - before == ThreadBytes(allocated: 128, freed: 1))
  }

  @Test(arguments: [(100, 112), (4097, 5120)])
  func `12: an allocation counts as the bytes of its size class`(_ requested: Int, _ counted: Int)
    async
  {
    await #expect(processExitsWith: .success) { [requested, counted] in
      let counters = ThreadByteCounters()!
      var own = ThreadBytes(allocated: 0, freed: 0)
      let change = change {
        let before = counters.now
        Block.allocate(1, of: requested)
        own = counters.now - before
      }
      #expect(change.live == counted && change.statistics == counted, "\(change)")
      #expect(own == ThreadBytes(allocated: UInt64(counted), freed: 0))
    }
  }
}

/// A trial with two roles, both of which allocate.
private func exampleOfRoles(on driver: Driver) throws -> TrialSpecification {
  let roles = try Role.roles(parsing: "reader=1,writer=1")
  return TrialSpecification(
    contestant: .named("mutex", for: .dictionary)!, workload: .roles(roles, for: .dictionary),
    threads: 2, entries: 64, seed: Seed(7)!, number: 1, warmupSeconds: 0.005, seconds: 0.01
  ).driven(by: driver)!
}

private func bytesOfNothing(threads: Int) async -> Measurement.Bytes? {
  await bytes(of: { Filling<Staying>($0) }, operations: Array(repeating: 200, count: threads))?
    .bytes
}
