import Measurements
import Testing
import Workloads

@testable import Benchmarking

/// Tests of open loops on a simulated clock, so that every time is exact.
@Suite struct OpenLoopTests {
  /// A schedule with one operation every 10 µs for one second: 100,000 operations.
  private static let everyTenMicroseconds = ArrivalSchedule(
    gaps: [10_000], nanoseconds: 1_000_000_000)

  private static func run(
    _ worker: StallingWorker, _ schedule: ArrivalSchedule = everyTenMicroseconds
  ) async -> (operations: Int, times: OpenLoopTimes) {
    var worker = worker
    var meter = OperationMeter(OpenLoop(schedule, from: worker.clock.now()), clock: worker.clock)
    await TimingLoop.run(&worker, &meter)
    return (meter.operations, meter.openLoop!.times)
  }

  @Test func `the intended times of a worker that is never late are its service times`() async {
    let (operations, times) = await Self.run(StallingWorker(takes: 1000))
    #expect(operations == 99_999)
    #expect(times.backlog == 0)
    #expect(times.service.percentiles == times.intended.percentiles)
    #expect(times.service.percentiles.maxNanoseconds == 1000)
  }

  /// A collection that holds its lock for 5 ms every 100 ms delays one operation in twenty.
  @Test func `a seeded queueing delay shows in the intended p99.9, but not in a closed loop's`()
    async throws
  {
    let (_, times) = await Self.run(
      StallingWorker(takes: 1000, stalls: 5_000_000, every: 100_000_000))
    let intended = times.intended.percentiles
    #expect(try #require(intended.p50Nanoseconds) == 1000)
    #expect(try #require(intended.p99Nanoseconds) > 3_900_000)
    #expect(try #require(intended.p999Nanoseconds) > 4_800_000)
    #expect(abs(try #require(intended.maxNanoseconds) - 5_001_000) < 5000)
    // Only nine service times of the same operations are long, as in a closed loop.
    #expect(try #require(times.service.percentiles.p999Nanoseconds) == 1000)

    let closed = await Self.closedLoop(
      StallingWorker(takes: 1000, stalls: 5_000_000, every: 100_000_000), seconds: 1)
    #expect(try #require(closed.samples) > 900_000)
    #expect(try #require(closed.p999Nanoseconds) == 1000)
    #expect(try #require(closed.maxNanoseconds) >= 5_000_000)
  }

  private static func closedLoop(
    _ worker: StallingWorker, seconds: Int
  ) async -> Measurement.Latency {
    var worker = worker
    let stop = StopFlag()
    worker.ends(at: seconds * 1_000_000_000, by: stop)
    var meter = OperationMeter(until: stop, stride: 1, clock: worker.clock)
    await TimingLoop.run(&worker, &meter)
    return meter.recorder!.latency
  }

  @Test func `a worker that is late skips no operation`() async throws {
    // The worker stalls for 60 ms. Then it executes the overdue operations; each is 8 µs less late
    // than its predecessor.
    let (operations, times) = await Self.run(
      StallingWorker(takes: 2000, stalls: 60_000_000, every: 10_000_000_000, from: 1))
    #expect(operations == 99_999)
    #expect(times.backlog == 0)
    let intended = times.intended.percentiles
    #expect(intended.p90Nanoseconds == 2000)
    let thousandth = 60_002_000.0 - 999 * 8000
    #expect(abs(try #require(intended.p99Nanoseconds) - thousandth) < 60_000)
    #expect(times.service.percentiles.p99Nanoseconds == 2000)
  }

  @Test
  func `the intended time of an operation that never starts is its wait until the trial ends`()
    async throws
  {
    // An operation is due every 10 µs and takes 20 µs. The trial lasts 1 ms; late operations may
    // start within 0.25 ms after it.
    let schedule = ArrivalSchedule(gaps: [10_000], nanoseconds: 1_000_000)
    let (operations, times) = await Self.run(StallingWorker(takes: 20_000), schedule)
    #expect(operations == 62)
    #expect(operations + times.backlog == 99)
    #expect(times.service.count == operations)
    #expect(times.intended.count == 99)
    // The intended times of the executed operations are 20, 30, … 630 µs. The others waited for
    // 260, … 620 µs.
    #expect(abs(try #require(times.intended.percentiles.p50Nanoseconds) - 380_000) < 400)
    #expect(abs(try #require(times.intended.percentiles.maxNanoseconds) - 630_000) < 700)
  }

  @Test func `if all operations are due immediately, no worker waits and no operation is left`()
    async
  {
    var specification = TrialSpecification.example(threads: 1)
    specification.pace = Measurement.Pace(mode: .open)
    specification.seconds = 0.001
    let schedule = ArrivalSchedule(specification, worker: 0)
    let (operations, times) = await Self.run(StallingWorker(takes: 1000), schedule)
    #expect(operations == 1000)
    #expect(times.backlog == 0)
  }

  @Test(arguments: [1, 3])
  func `all workers together meet the target rate`(_ threads: Int) {
    var specification = TrialSpecification.example(threads: threads)
    specification.pace = Measurement.Pace(mode: .open, targetOperationsPerSecond: 1e6)
    specification.seconds = 1
    let counts = (0..<threads).map { worker in
      var arrivals = ArrivalSchedule(specification, worker: worker).arrivals(from: 5)
      var count = 0
      while arrivals.next() < 1_000_000_005 { count += 1 }
      return count
    }
    // The last pass through the table of gaps is incomplete.
    #expect(abs(Double(counts.reduce(0, +)) - 1e6) < 500 * Double(threads))
    #expect(Set(counts).count == threads)
  }
}
