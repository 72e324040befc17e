import Measurements
import Testing
import WeakCollections
import Workloads

@testable import Benchmarking
@testable import EpochReclamation

@Suite(.serialized, .timeLimit(.minutes(10))) struct ContentionTests {
  @Test func `the scheduler's line is read as Linux writes it, and three zeros are no figures`() {
    let line = SchedulerStatistics(inStatistics: "91197832 20054801 215\n")
    #expect(line?.runQueueNanoseconds == 20_054_801)
    for text in ["0 0 0\n", "", "1 2", "1 2 3 4", "a b c", "1 2 x 3"] {
      #expect(SchedulerStatistics(inStatistics: text) == nil, "\(text)")
    }
  }

  @Test func `a thread slept for what it neither ran nor waited to run`() {
    let usage = ThreadUsage(
      failedCompareExchanges: 0, processorNanoseconds: 300, runQueueNanoseconds: 500)
    #expect(usage.sleepNanoseconds(of: 1000) == 200)
    #expect(usage.sleepNanoseconds(of: 700) == 0)
    #expect(ThreadUsage(failedCompareExchanges: 0).sleepNanoseconds(of: 1000) == nil)
  }

  @Test
  func `contention is summed up over the workers, and is not known if one of them does not know`()
    throws
  {
    var reports = [
      WorkerReport(
        operations: 30, atWork: 0...1000, counted: 0...1000,
        usage: ThreadUsage(
          failedCompareExchanges: 0, processorNanoseconds: 600, runQueueNanoseconds: 100,
          hardware: HardwareCounts(cycles: 3000))),
      WorkerReport(
        operations: 10, atWork: 0...1000, counted: 0...1000,
        usage: ThreadUsage(
          failedCompareExchanges: 0, processorNanoseconds: 200, runQueueNanoseconds: 700,
          hardware: HardwareCounts(cycles: 1000))),
    ]
    let mutex = try #require(Contestant.named("mutex", for: .dictionary))
    let known = Measurement.Contention(PhaseReport(seconds: 1e-6, workers: reports), mutex)
    #expect(known.maxToMinOperations == 3)
    #expect(known.runQueueWaitNanosecondsPerOperation == 20)
    #expect(known.lockWaitShare == 20)
    #expect(known.hardware == Measurement.Hardware(cyclesPerOperation: 100))
    #expect(known.reclamation == Measurement.Reclamation())
    reports[1].usage = ThreadUsage(failedCompareExchanges: 0)
    reports[1].operations = 0
    let unknown = Measurement.Contention(PhaseReport(seconds: 1e-6, workers: reports), mutex)
    #expect(unknown.lockWaitShare == nil && unknown.maxToMinOperations == nil)
    #expect(unknown.runQueueWaitNanosecondsPerOperation == nil)
    #expect(unknown.hardware == Measurement.Hardware())
  }

  @Test func `activity of the epochs is what came after the first look`() {
    var telemetry = EpochTelemetry(
      epoch: 9, participants: 2, retired: 500, reclaimed: 400, advances: 7, failedAdvances: 3,
      pins: [], blockedBy: nil)
    var activity = EpochActivity(of: telemetry)
    #expect(activity.advances == 0 && activity.limboPeakEntries == 100)
    telemetry.retired = 900
    activity.note(telemetry)
    telemetry.reclaimed = 890
    telemetry.advances = 12
    telemetry.failedAdvances = 4
    activity.note(telemetry)
    #expect(activity.advances == 5 && activity.failedAdvances == 1)
    #expect(activity.limboPeakEntries == 500)
  }

  @Test func `a trial that retires has epochs, another has none`() async throws {
    let lockFree = try #require(Contestant.named("lock-free", for: .dictionary))
    var specification = TrialSpecification.example(lockFree, "exchange")
    specification.seconds = 0.05
    var attempts = 0.0
    // The domain is everybody's: while a test beside pins it, attempts to advance fail; and workers
    // that get no processor retire too little for an attempt.
    while attempts == 0 {
      let retiring = try await specification.run().contention.reclamation
      #expect(retiring.limboPeakEntries != nil)
      attempts += try #require(retiring.advancesPerOperation)
      attempts += try #require(retiring.failedAdvancesPerOperation)
    }
    let mutex = try #require(Contestant.named("mutex", for: .dictionary))
    let none = try await TrialSpecification.example(mutex, "exchange").run().contention
    #expect(none.reclamation == Measurement.Reclamation())
  }

  @Test func `what a host counts it counts in every trial, and what it does not is never 0`()
    async throws
  {
    let contention = try await TrialSpecification.example().run().contention
    let available = MeasuredContention.ofThisHost
    #expect((contention.hardware.cyclesPerOperation != nil) == available.countsCycles)
    #expect((contention.hardware.instructionsPerOperation != nil) == available.countsInstructions)
    #expect(contention.hardware.cyclesPerOperation != 0)
    #expect(
      (contention.runQueueWaitNanosecondsPerOperation != nil) == available.hasRunQueueWait)
    #expect((contention.lockWaitShare != nil) == available.hasRunQueueWait)
    #expect(contention.lockWaitShare.map { (0...100).contains($0) } ?? true)
  }
}
