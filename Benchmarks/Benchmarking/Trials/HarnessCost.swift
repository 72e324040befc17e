import Measurements
import Threading
import WeakCollections
import Workloads

/// What the benchmark itself costs: reads of the lock-free dictionary through the generic loop, against a
/// loop written by hand that makes the same reads of the same keys.
///
/// Over a real dictionary, since one that does nothing vanishes into the loop around it, and with it what
/// a call costs there: a worker's functions that suspend nowhere cost 5 ns each where they are not inlined.
public struct HarnessCost: Sendable {
  public let handWrittenNanoseconds: Double
  public let genericNanoseconds: Double

  /// The least of alternating rounds: whatever else the machine does can only add to a round. Takes
  /// about a quarter of a second.
  public static func measure() async -> HarnessCost {
    let specification = TrialSpecification(
      contestant: .baseline(for: .dictionary),
      workload: .custom(readOnly, for: .dictionary), threads: 1, size: 1024, seed: Seed(1)!,
      number: 1,
      warmupSeconds: 0, seconds: 0)
    let dictionary = LockFreeDictionary<Int, Int>()
    for key in 0..<specification.size {
      dictionary.setValue(KeyedValue.first(for: key), forKey: key)
    }
    let input = WorkerInput(specification, worker: 0)
    let worker = AnyWorker(
      DictionaryWorker(
        dictionary: dictionary,
        entries: IntegerEntries(range: specification.size, tally: Census().tallies[0]),
        input: input, specification))
    // In a debug build, where a read takes a hundred times as long, a round has fewer reads.
    let first = handWritten(dictionary, input, reads: 1_000)
    let reads = min(300_000, max(1_000, Int(2_000_000 / max(1, first))))
    var byHand: [Double] = []
    var generic: [Double] = []
    // Shorter than a time slice, so that on a busy machine some rounds are nobody else's.
    for _ in 0..<40 {
      byHand.append(handWritten(dictionary, input, reads: reads))
      generic.append(await throughLoop(worker))
    }
    return HarnessCost(
      handWrittenNanoseconds: byHand.min() ?? 0,
      genericNanoseconds: generic.min() ?? 0)
  }

  private static var readOnly: OperationMix {
    do { return try OperationMix(read: 100) } catch { preconditionFailure("\(error)") }
  }

  @inline(never)
  private static func handWritten(
    _ dictionary: LockFreeDictionary<Int, Int>, _ input: WorkerInput, reads: Int
  ) -> Double {
    var input = input
    let start = Clock.now()
    for _ in 0..<reads {
      let key = input.nextKey()
      if input.nextOperation() == .read { consume(read(key, in: dictionary)) }
    }
    return Double(Clock.now() - start) / Double(reads)
  }

  /// Called, as the loop calls it.
  @inline(never)
  private static func read(_ key: Int, in dictionary: LockFreeDictionary<Int, Int>) -> Int {
    dictionary.value(forKey: key) ?? 0
  }

  private static func throughLoop(_ worker: AnyWorker) async -> Double {
    let stop = StopSign()
    var meter = Meter(until: stop, stride: Meter.stride(forNanosecondsPerOperation: 0))
    let timer = OwnedThread {
      Clock.sleep(milliseconds: 2)
      stop.raise()
    }
    let start = Clock.now()
    await worker.operate(&meter)
    let end = Clock.now()
    timer.join()
    return Double(end - start) / Double(max(1, meter.operations))
  }
}

/// What waiting for due times adds to intended times: an operation that does nothing, begun when it is due,
/// ends so long after.
public struct PacingCost: Sendable {
  public let intended: Measurement.Percentiles

  /// Takes about a quarter of a second. Blocks the calling thread, with gaps long enough to sleep in.
  public static func measure() async -> PacingCost {
    let worker = AnyWorker(IdleWorker())
    let clock = MonotonicClock()
    TimerSlack.giveUp()
    // 2,000 operations, so that 20 of them lie beyond p99.
    let schedule = ArrivalSchedule(gaps: [125_000], nanoseconds: 250_000_000)
    let times = OpenLoopTimes()
    var meter = Meter(
      OpenLoop(schedule, from: clock.now(), times: consume times), clock: clock)
    await worker.operate(&meter)
    return PacingCost(intended: meter.openLoop!.times.intended.percentiles)
  }

  private struct IdleWorker: TrialWorker {
    mutating func operate() async {}
  }
}
