import Measurements
import Threading
import WeakCollections
import Workloads

/// The overhead of the benchmark itself.
///
/// It compares the generic loop with a hand-written loop; both read the same keys of a lock-free
/// dictionary. A real dictionary is necessary: the optimizer would remove an empty one together
/// with the cost of the call, such as that of an `async` function that is not inlined.
package struct HarnessCost: Sendable {
  /// The time per operation of the hand-written loop.
  package let handWrittenNanoseconds: Double
  /// The time per operation of the generic loop.
  package let genericNanoseconds: Double

  /// Measures both loops in alternating rounds and returns the minimum of each.
  ///
  /// The minimum is the best estimate, because other load on the machine can only slow a round
  /// down.
  package static func measure() async -> HarnessCost {
    let specification = TrialSpecification(
      contestant: .baseline(for: .dictionary),
      workload: .custom(.shares(read: 100), for: .dictionary), threads: 1, entries: 1024,
      seed: Seed(1)!, number: 1, warmupSeconds: 0, seconds: 0)
    let dictionary = LockFreeDictionary<Int, Int>()
    for key in 0..<specification.entries {
      dictionary.setValue(KeyedValue.first(for: key), forKey: key)
    }
    let input = WorkerInput(specification, worker: 0)
    let worker = AnyWorker(
      DictionaryWorker(
        dictionary: dictionary,
        entries: IntegerEntries(range: specification.entries, tally: LifetimeCounter().tallies[0]),
        input: input, specification))
    // In a debug build, where a read takes a hundred times as long, a round has fewer reads.
    let first = handWritten(dictionary, input, reads: 1_000)
    let reads = min(300_000, max(1_000, Int(2_000_000 / max(1, first))))
    var byHand: [Double] = []
    var generic: [Double] = []
    // A round is shorter than a time slice, so even on a busy machine some run without
    // interruption.
    for _ in 0..<40 {
      byHand.append(handWritten(dictionary, input, reads: reads))
      generic.append(await throughLoop(worker))
    }
    return HarnessCost(
      handWrittenNanoseconds: byHand.min() ?? 0, genericNanoseconds: generic.min() ?? 0)
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

  /// Reads one key in a function that is called, not inlined, as in the generic loop.
  @inline(never)
  private static func read(_ key: Int, in dictionary: LockFreeDictionary<Int, Int>) -> Int {
    dictionary.value(forKey: key) ?? 0
  }

  private static func throughLoop(_ worker: AnyWorker) async -> Double {
    let stop = StopFlag()
    var meter = Meter(until: stop, stride: Meter.stride(forNanosecondsPerOperation: 0))
    let timer = OwnedThread {
      Clock.sleep(milliseconds: 2)
      stop.set()
    }
    let start = Clock.now()
    await worker.operate(&meter)
    let end = Clock.now()
    timer.join()
    return Double(end - start) / Double(max(1, meter.operations))
  }
}

/// The latency that waiting for due times adds to intended times.
///
/// It is the time from when an empty operation is due to its end.
package struct PacingCost: Sendable {
  /// The intended times of an empty operation.
  package let intended: Measurement.Percentiles

  /// Measures the latency at gaps that are long enough to sleep.
  ///
  /// Blocks the calling thread.
  package static func measure() async -> PacingCost {
    let worker = AnyWorker(IdleWorker())
    let clock = MonotonicClock()
    TimerSlack.minimize()
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
