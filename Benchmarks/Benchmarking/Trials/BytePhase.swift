import EpochReclamation
import Measurements
import Primitives
import Threading

/// A phase of its own in which the allocator counts: what the entries take, what operations take, and
/// what they leave in limbo.
struct BytePhase {
  let specification: TrialSpecification
  let makeSubject: SubjectFactory
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
    var subject = makeSubject(specification)
    EpochDomain.shared.prepareThread()
    let probe = AllocatorProbe()
    await growTaskStack()
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
    let workers = (0..<threads.count).map {
      subject.worker(at: $0, prefilled: specification.prefill)
    }
    let ownBytes = await work(workers, threads, checkpoints)
    // What workers hold is not in limbo, and goes only now.
    withExtendedLifetime(workers) {}
    let (start, end) = (checkpoints.start.bytes, checkpoints.end.bytes)
    let done = Double(operations.reduce(0, +))
    let live = Self.growth(from: before.live, to: filled.live)
    let bytes = Measurement.Bytes(
      allocatedPerOperation: Double(end.allocated - start.allocated) / done,
      freedPerOperation: Double(end.freed - start.freed) / done,
      livePerEntry: live.map { Double($0) / Double(specification.size) },
      peakLive: Self.growth(from: before.peakLive, to: end.peakLive),
      limbo: checkpoints.settled.flatMap { Self.growth(from: $0.live, to: end.live) })
    return ByteReport(bytes: bytes, workers: ownBytes, operations: operations)
  }

  /// By how many bytes something grew; `nil` if it shrank, which no collection does that was empty: then
  /// others freed meanwhile, and what grew beside that is not known.
  static func growth(from before: Int, to after: Int) -> Int? {
    after < before ? nil : after - before
  }

  /// What the thread of each worker counted.
  private func work(
    _ workers: [AnyWorker], _ threads: [OwnedThreadExecutor], _ checkpoints: ByteCheckpoints
  ) async -> [ThreadBytes?] {
    // Before the workers start: nothing but operations allocates while they do.
    var counted = [ThreadBytes?](repeating: nil, count: threads.count)
    await withTaskGroup(of: (Int, ThreadBytes?).self) { group in
      for (index, thread) in threads.enumerated() {
        let worker = workers[index]
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
    _ worker: AnyWorker, _ operations: Int, _ checkpoints: ByteCheckpoints
  ) async -> ThreadBytes? {
    let counters = ThreadByteCounters()
    var meter = Meter(times: operations)
    await growTaskStack()
    var none = Meter(times: 0)
    await worker.operate(&none)
    if specification.contestant.reclaimsByEpochs {
      EpochDomain.shared.prepareThread()
      checkpoints.clearing.settle(to: 0)
    }
    checkpoints.start.arrive()
    let before = counters?.now
    await worker.operate(&meter)
    let after = counters?.now
    checkpoints.end.arrive()
    if specification.contestant.reclaimsByEpochs { checkpoints.settle() }
    // With other drivers a worker has no thread whose bytes would be its own.
    guard specification.driver.ownsThreads, let before, let after else { return nil }
    return after - before
  }
}

/// Makes the calling task allocate memory for calls deeper than those of any operation.
///
/// A task allocates memory for its calls when they first become so deep, and keeps it. Without this, the
/// first operation would be charged for it.
@inline(never)
private func growTaskStack() async {
  let words = SIMD64<Int>(repeating: 1)
  // Four kilobytes. `InlineArray` needs a later system than the package's oldest.
  let frame = (words, words, words, words, words, words, words, words)
  // The frame is in the task's memory, since it is used before and after a call that may suspend.
  await doNothing()
  consume(frame.0[0] + frame.7[63])
}

@inline(never)
private func doNothing() async {}

/// What the byte phase came to.
struct ByteReport: Sendable {
  var bytes = Measurement.Bytes()
  /// What each worker's own thread allocated and freed; `nil` where a worker is to have none.
  var workers: [ThreadBytes?] = []
  /// How many operations each worker made.
  var operations: [Int] = []

  /// What these workers' threads allocated and freed in an operation of theirs; `nil` if it is not known of
  /// one of them.
  func perOperation(ofWorkers indices: Range<Int>) -> (allocated: Double, freed: Double)? {
    guard indices.upperBound <= workers.count else { return nil }
    let counted = workers[indices].compactMap(\.self)
    let done = Double(operations[indices].reduce(0, +))
    guard counted.count == indices.count, done > 0 else { return nil }
    let sum = counted.reduce(ThreadBytes(allocated: 0, freed: 0), +)
    return (Double(sum.allocated) / done, Double(sum.freed) / done)
  }
}

/// Where the workers of a byte phase meet, so that the process is counted while all stand still.
struct ByteCheckpoints: Sendable {
  /// Before the first operation, so that nothing older is reclaimed after the last.
  let clearing: Settling
  let start: CountedRendezvous
  let end: CountedRendezvous
  private let settling: Settling

  /// Made before anything is counted.
  init(workers: Int) {
    clearing = Settling(workers: workers)
    start = CountedRendezvous(count: workers)
    end = CountedRendezvous(count: workers)
    settling = Settling(workers: workers)
  }

  /// Reclaims what operations left in limbo, after the last; for each worker to call.
  func settle() { settling.settle(to: clearing.rest) }

  /// What was counted then; nil if not all that they left could be reclaimed.
  var settled: AllocatedBytes? { settling.bytes(settledTo: clearing.rest) }
}

/// Reclaims what is in limbo, as far as it goes.
struct Settling: Sendable {
  private let rounds: [CountedRendezvous]

  /// One is enough where nothing that is reclaimed retires anything.
  private static let mostRounds = 8

  init(workers: Int) {
    rounds = (0..<Self.mostRounds).map { _ in CountedRendezvous(count: workers) }
  }

  /// Ends when no more than `backlog` entries are in limbo, or it has tried often enough; for each worker to
  /// call: what is in the bag of a thread that runs, that thread alone can seal.
  func settle(to backlog: Int) {
    for round in rounds {
      EpochDomain.shared.advance()
      round.arrive()
      if round.isSettled(to: backlog) { return }
    }
  }

  /// How many entries it left in limbo: those in the bags of idle threads of a pool, or behind a pin.
  var rest: Int { rounds.last { $0.backlog != nil }?.backlog ?? 0 }

  /// What was counted when no more than `backlog` entries were in limbo; nil if that was not reached, or not
  /// tried.
  func bytes(settledTo backlog: Int) -> AllocatedBytes? {
    rounds.first { $0.isSettled(to: backlog) }?.bytes
  }
}

extension CountedRendezvous {
  fileprivate func isSettled(to backlog: Int) -> Bool {
    self.backlog.map { $0 <= backlog } ?? false
  }
}

/// A rendezvous whose last arrival reads the probe, while all others stand still.
///
/// To arrive and to wait allocates nothing, in an unoptimized build either.
final class CountedRendezvous: @unchecked Sendable {
  // @unchecked: the variables are written by the last arrival, and read when all have left.
  private(set) var bytes = AllocatedBytes(allocated: 0, freed: 0, peakLive: 0)
  /// How many entries were in limbo; nil before the last arrival.
  private(set) var backlog: Int?

  private let missing: Atomic<Int>
  private let hasOpened = Atomic(false)
  private let opening = EventCounter()

  init(count: Int) {
    missing = Atomic(count)
  }

  /// Returns when all have arrived.
  func arrive() {
    // Acquiring and releasing: what each did before it arrived is visible to the last.
    if missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      open()
    } else {
      wait()
    }
  }

  private func open() {
    // In this order, so that a reading of the backlog is counted nowhere.
    backlog = EpochDomain.shared.telemetry.backlog
    bytes = .now
    // Releasing: whoever sees it sees what was read.
    hasOpened.store(true, ordering: .releasing)
    opening.signal()
  }

  private func wait() {
    while true {
      let ticket = opening.ticket()
      // Acquiring: pairs with the store in `open`.
      if hasOpened.load(ordering: .acquiring) { return }
      opening.wait(for: ticket)
    }
  }
}

extension EpochDomain {
  /// Gives the calling thread what it keeps for itself of the domain, a record and an empty bag, and
  /// reclaims what is in limbo.
  ///
  /// Before bytes are counted: these are nobody's entries, and no operation needs them twice.
  func prepareThread() {
    retire(UnsafeMutableRawPointer(bitPattern: 64)!, as: Nothing.self)
    advance()
  }
}

/// Nothing to reclaim.
private enum Nothing: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {}
}
