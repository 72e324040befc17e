import Threading
import WeakCollections
import Workloads

/// What the benchmark itself costs: the empty dictionary through the generic loop, against a loop
/// written by hand that does nothing with the same keys and operations.
public struct HarnessCost: Sendable {
  public let handWrittenNanoseconds: Double
  public let genericNanoseconds: Double

  /// The least of alternating rounds: whatever else the machine does can only add to a round. Takes
  /// about a quarter of a second.
  public static func measure() async -> HarnessCost {
    let specification = TrialSpecification(
      contestant: .baseline(for: .dictionary), workload: .custom(readOnly, for: .dictionary),
      threads: 1, size: 1024, seed: Seed(1)!, number: 1, warmupSeconds: 0, seconds: 0)
    var subject = DictionarySubject<EmptyDictionary>(specification)
    subject.start()
    let worker = subject.worker(at: 0, prefilled: 0)
    var byHand: [Double] = []
    var generic: [Double] = []
    for _ in 0..<15 {
      byHand.append(handWritten(WorkerInput(specification, worker: 0)))
      generic.append(await throughLoop(worker))
    }
    return HarnessCost(
      handWrittenNanoseconds: byHand.min() ?? 0,
      genericNanoseconds: generic.min() ?? 0)
  }

  private static let rounds = 4_000_000

  private static var readOnly: OperationMix {
    do { return try OperationMix(read: 100) } catch { preconditionFailure("\(error)") }
  }

  @inline(never)
  private static func handWritten(_ input: WorkerInput) -> Double {
    var input = input
    let start = Clock.now()
    for _ in 0..<rounds {
      let key = input.nextKey()
      if input.nextOperation() == .read { consume(key) }
    }
    return Double(Clock.now() - start) / Double(rounds)
  }

  @inline(never)
  private static func throughLoop<W: TrialWorker>(_ worker: W) async -> Double {
    var worker = worker
    var recorder = LatencyRecorder()
    let stop = StopSign()
    let timer = OwnedThread {
      Clock.sleep(milliseconds: 10)
      stop.raise()
    }
    let stride = TimingLoop.stride(forNanosecondsPerOperation: 0)
    let start = Clock.now()
    let operations = await TimingLoop.run(
      &worker, until: stop, stride: stride, recorder: &recorder)
    let end = Clock.now()
    timer.join()
    return Double(end - start) / Double(max(1, operations))
  }
}
