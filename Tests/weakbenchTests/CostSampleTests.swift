import ProgramTesting
import BenchmarkCommands
import Choosing
import Measurements
import Testing
import WeakCollections

@testable import weakbench

@Suite struct CostSampleTests {
  private func row(_ backend: String = "mutex", kind: Measurement.Kind = .subject) -> Measurement {
    var row = Measurement.example(1, backend, kind: kind, threads: 2, nanosecondsPerOperation: 50)
    row.environment.kernel = "Linux 6.18.44 x86_64"
    row.environment.mutexFlavor = "priority-inheritance"
    return row
  }

  @Test func `a backend's row is a cost, with where it was measured`() throws {
    var row = row()
    row.bytes.livePerEntry = 40
    let sample = try #require(CostSample(row))
    #expect(sample.backend == .mutex)
    #expect(sample.nanosecondsPerOperation == 50)
    #expect(sample.p99Nanoseconds == 1234 && sample.bytesPerEntry == 40)
    #expect(sample.point.threads == 2)
    #expect(sample.point.shares == OperationShares(read: 98, insert: 1, remove: 1))
    #expect(
      sample.key
        == CalibrationKey(
          compiler: "6.3.1", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 2))
  }

  @Test func `peers, baselines, unfit builds and unknown places are no costs`() {
    #expect(CostSample(row("ns-lock", kind: .peer)) == nil)
    #expect(CostSample(row("empty-loop", kind: .baseline)) == nil)
    var debug = row()
    debug.environment.buildConfiguration = "debug"
    #expect(CostSample(debug) == nil)
    var nowhere = row()
    nowhere.environment.kernel = nil
    #expect(CostSample(nowhere) == nil)
  }

  @Test(arguments: [
    ("read-heavy", true), ("custom", true), ("leak-monitor", false), ("rapid-grow", false),
    ("turnover-ten", false), ("ycsb-f", true), ("gone", false),
  ])
  func `a workload that does more than draw operations answers to its name alone`(
    _ workload: String, isPureMix: Bool
  ) throws {
    var row = row()
    row.configuration.workload = workload
    #expect(try #require(CostSample(row)).point.isPureMix == isPureMix)
  }

  @Test func `what a profile cannot ask for is no cost`() {
    var integers = row()
    (integers.configuration.keyType, integers.configuration.valueType) = ("Int", "Int")
    integers.configuration.keyDistribution = "uniform"
    #expect(CostSample(integers) != nil)
    var strings = integers
    strings.configuration.keyType = "String"
    #expect(CostSample(strings) == nil)
    var objects = integers
    objects.configuration.valueType = "class"
    #expect(CostSample(objects) == nil)
    var skewed = integers
    skewed.configuration.keyDistribution = "zipfian:0.99"
    #expect(CostSample(skewed) == nil)
  }
}
