import EpochReclamation
import Measurements
import Threading

/// A phase of its own in which the allocator counts: what the entries take, what operations take, and
/// what they leave in limbo.
struct BytePhase<S: TrialSubject> {
  let specification: TrialSpecification
  /// How many operations each of the workers makes.
  let operations: [Int]

  /// nil where the allocator cannot count, and for what is not one collection.
  ///
  /// To be called on a thread that its caller owns: what it retires waits in that thread's bags, where
  /// nobody else can reclaim it.
  func run(on threads: [OwnedThreadExecutor]) async -> ByteReport? {
    // What each thread has of its own is no entry of one collection.
    guard AllocatorProbe.isAvailable, specification.contestant.isShared else { return nil }
    let checkpoints = ByteCheckpoints(workers: threads.count)
    var subject = S(specification)
    EpochDomain.shared.prepareThread()
    let probe = AllocatorProbe()
    probe.resetPeak()
    let before = probe.bytes
    subject.start()
    await subject.fill(specification.size)
    EpochDomain.shared.advance()
    let filled = probe.bytes
    if specification.prefill == 0 {
      await subject.empty()
      EpochDomain.shared.advance()
    }
    let workers = await work(on: subject, threads, checkpoints)
    let (start, end) = (checkpoints.start.bytes, checkpoints.end.bytes)
    let done = Double(operations.reduce(0, +))
    let live = Self.growth(from: before.live, to: filled.live)
    let bytes = Measurement.Bytes(
      allocatedPerOperation: Double(end.allocated - start.allocated) / done,
      freedPerOperation: Double(end.freed - start.freed) / done,
      livePerEntry: live.map { Double($0) / Double(specification.size) },
      peakLive: Self.growth(from: before.peakLive, to: end.peakLive),
      limbo: checkpoints.settled.flatMap { Self.growth(from: $0.live, to: end.live) })
    return ByteReport(bytes: bytes, workers: workers, operations: operations)
  }

  /// By how many bytes something grew; `nil` if it shrank, which no collection does that was empty: then
  /// others freed meanwhile, and what grew beside that is not known.
  static func growth(from before: Int, to after: Int) -> Int? {
    after < before ? nil : after - before
  }

  /// What the thread of each worker counted.
  private func work(
    on subject: S, _ threads: [OwnedThreadExecutor], _ checkpoints: ByteCheckpoints
  ) async -> [ThreadBytes?] {
    // Before the workers start: nothing but operations allocates while they do.
    var counted = [ThreadBytes?](repeating: nil, count: threads.count)
    await withTaskGroup(of: (Int, ThreadBytes?).self) { group in
      for (index, thread) in threads.enumerated() {
        let worker = subject.worker(at: index, prefilled: specification.prefill)
        group.addTask(executorPreference: thread) {
          (index, await count(worker, operations[index], checkpoints))
        }
      }
      for await (index, bytes) in group { counted[index] = bytes }
    }
    return counted
  }

  /// Nothing but the operations allocates between the readings, the thread's own within the process's.
  private func count(
    _ worker: S.Worker, _ operations: Int, _ checkpoints: ByteCheckpoints
  ) async -> ThreadBytes? {
    var worker = worker
    let counters = ThreadByteCounters()
    if specification.contestant.reclaimsByEpochs {
      EpochDomain.shared.prepareThread()
      checkpoints.clearing.settle(to: 0)
    }
    checkpoints.start.arrive()
    let before = counters?.now
    await TimingLoop.run(&worker, times: operations)
    let after = counters?.now
    checkpoints.end.arrive()
    if specification.contestant.reclaimsByEpochs { checkpoints.settle() }
    // What it holds is not in limbo, and goes only now.
    withExtendedLifetime(worker) {}
    // With other drivers a worker has no thread whose bytes would be its own.
    guard specification.driver.ownsThreads, let before, let after else { return nil }
    return after - before
  }
}
