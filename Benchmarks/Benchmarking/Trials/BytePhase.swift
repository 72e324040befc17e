import EpochReclamation
import Measurements
import Primitives
import Threading

/// A separate phase of a trial in which the allocator counts the bytes of entries, of operations,
/// and in limbo.
struct BytePhase {
  let specification: TrialSpecification
  let makeSubject: SubjectFactory
  /// The number of operations of each worker.
  let operations: [Int]

  /// Runs the phase on the given threads.
  ///
  /// Call it on a thread that the caller owns: objects that it retires are in that thread's bags,
  /// where no other thread can reclaim them.
  ///
  /// - Returns: `nil` if the allocator cannot count, and for a baseline without a shared
  ///   collection.
  func run(on threads: [OwnedThreadExecutor]) async -> ByteReport? {
    // A baseline with private state per thread has no entries of one collection.
    guard AllocatorProbe.isAvailable, specification.contestant.isShared else { return nil }
    let checkpoints = ByteCheckpoints(workers: threads.count)
    var subject = makeSubject(specification)
    EpochDomain.shared.prepareThread()
    let probe = AllocatorProbe()
    await growTaskStack()
    probe.resetPeak()
    let before = probe.bytes
    subject.start()
    await subject.fill(specification.entries)
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
    // The workers' own objects are not in limbo: they live until here, past the last reading.
    withExtendedLifetime(workers) {}
    let (start, end) = (checkpoints.start.bytes, checkpoints.end.bytes)
    let done = Double(operations.reduce(0, +))
    let live = Self.growth(from: before.live, to: filled.live)
    let bytes = Measurement.Bytes(
      allocatedPerOperation: Double(end.allocated - start.allocated) / done,
      freedPerOperation: Double(end.freed - start.freed) / done,
      livePerEntry: live.map { Double($0) / Double(specification.entries) },
      peakLive: Self.growth(from: before.peakLive, to: end.peakLive),
      limbo: checkpoints.settled.flatMap { Self.growth(from: $0.live, to: end.live) })
    return ByteReport(bytes: bytes, workers: ownBytes, operations: operations)
  }

  /// Returns the growth in bytes, or `nil` if it is negative.
  ///
  /// An empty collection cannot shrink. If the bytes did, another thread freed memory meanwhile,
  /// and the collection's own growth is unknown.
  static func growth(from before: Int, to after: Int) -> Int? {
    after < before ? nil : after - before
  }

  /// Runs the workers and returns the bytes that each worker's thread counted.
  private func work(
    _ workers: [AnyWorker], _ threads: [OwnedThreadExecutor], _ checkpoints: ByteCheckpoints
  ) async -> [ThreadBytes?] {
    // Allocated before the workers start, because only operations may allocate afterwards.
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

  /// Runs one worker and returns the bytes that its thread counted.
  ///
  /// Only the operations allocate between the readings. The readings of the thread are inside those
  /// of the process.
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
      // Its first use allocates metadata of the runtime.
      _ = checkpoints.clearing.rest
    }
    checkpoints.start.arrive()
    let before = counters?.now
    await worker.operate(&meter)
    let after = counters?.now
    checkpoints.end.arrive()
    if specification.contestant.reclaimsByEpochs { checkpoints.settle() }
    // With other drivers a worker has no thread of its own, so the thread's bytes are not its own.
    guard specification.driver.ownsThreads, let before, let after else { return nil }
    return after - before
  }
}

/// Makes the calling task allocate stack memory for calls deeper than those of any operation.
///
/// A task allocates stack memory when its calls first reach a depth, and keeps it. Without this
/// function, the figures of the first operation would include that memory.
@inline(never)
private func growTaskStack() async {
  let words = SIMD64<Int>(repeating: 1)
  // 4 KiB. `InlineArray` is not available on the oldest systems that the package supports.
  let frame = (words, words, words, words, words, words, words, words)
  // Its use before and after a call that may suspend places the frame in the task's memory.
  await doNothing()
  consume(frame.0[0] + frame.7[63])
}

@inline(never)
private func doNothing() async {}

/// The results of the byte phase.
struct ByteReport: Sendable {
  var bytes = Measurement.Bytes()
  /// The bytes that each worker's thread allocated and freed; `nil` for a worker without its own
  /// thread.
  var workers: [ThreadBytes?] = []
  /// The number of operations of each worker.
  var operations: [Int] = []

  /// Returns the bytes that the threads of the given workers allocated and freed per operation.
  ///
  /// - Returns: `nil` if the bytes of one of the workers are unknown.
  func perOperation(ofWorkers indices: Range<Int>) -> (allocated: Double, freed: Double)? {
    guard indices.upperBound <= workers.count else { return nil }
    let counted = workers[indices].compactMap(\.self)
    let done = Double(operations[indices].reduce(0, +))
    guard counted.count == indices.count, done > 0 else { return nil }
    let sum = counted.reduce(ThreadBytes(allocated: 0, freed: 0), +)
    return (Double(sum.allocated) / done, Double(sum.freed) / done)
  }
}

/// The barriers of a byte phase: the process is counted while all workers wait at one.
struct ByteCheckpoints: Sendable {
  /// Empties limbo before the first operation, so that no older memory is reclaimed after the last.
  let clearing: Settling
  let start: CountedRendezvous
  let end: CountedRendezvous
  private let settling: Settling

  /// Allocates all barriers, which has to happen before anything is counted.
  init(workers: Int) {
    clearing = Settling(workers: workers)
    start = CountedRendezvous(count: workers)
    end = CountedRendezvous(count: workers)
    settling = Settling(workers: workers)
  }

  /// Reclaims the objects that operations retired; every worker calls it after its last operation.
  func settle() { settling.settle(to: clearing.rest) }

  /// The bytes counted after `settle`, or `nil` if it could not reclaim all objects.
  var settled: AllocatedBytes? { settling.bytes(settledTo: clearing.rest) }
}

/// Several rounds of reclamation by all workers, until limbo is empty or the rounds are used up.
struct Settling: Sendable {
  private let rounds: [CountedRendezvous]

  /// One round is enough unless reclaiming an object retires another.
  private static let mostRounds = 8

  init(workers: Int) {
    rounds = (0..<Self.mostRounds).map { _ in CountedRendezvous(count: workers) }
  }

  /// Reclaims until at most `backlog` entries are in limbo, or all rounds are used up.
  ///
  /// Every worker has to call it, because only a running thread can seal its own bag.
  func settle(to backlog: Int) {
    for round in rounds {
      EpochDomain.shared.advance()
      round.arrive()
      if round.isSettled(to: backlog) { return }
    }
  }

  /// The number of entries left in limbo: in the bags of a pool's idle threads, or behind a pin.
  var rest: Int { rounds.last { $0.backlog != nil }?.backlog ?? 0 }

  /// Returns the bytes at the first round after which at most `backlog` entries were in limbo.
  ///
  /// - Returns: `nil` if no round reached that, or `settle` was not called.
  func bytes(settledTo backlog: Int) -> AllocatedBytes? {
    rounds.first { $0.isSettled(to: backlog) }?.bytes
  }
}

extension CountedRendezvous {
  fileprivate func isSettled(to backlog: Int) -> Bool {
    self.backlog.map { $0 <= backlog } ?? false
  }
}

/// A barrier at which the last thread to arrive reads the probe, while all others wait.
///
/// Arriving and waiting allocate nothing, even in an unoptimized build.
final class CountedRendezvous: @unchecked Sendable {
  // @unchecked: the last thread to arrive writes the variables; reads follow after all have left.
  private(set) var bytes = AllocatedBytes(allocated: 0, freed: 0, peakLive: 0)
  /// The number of entries in limbo, or `nil` before the last arrival.
  private(set) var backlog: Int?

  private let missing: Atomic<Int>
  private let hasOpened = Atomic(false)
  private let opening = EventCount()

  init(count: Int) {
    missing = Atomic(count)
  }

  /// Blocks until all threads have arrived.
  func arrive() {
    // Acquiring and releasing: the last thread to arrive sees the writes of all others.
    if missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      open()
    } else {
      wait()
    }
  }

  private func open() {
    // In this order, so that no interval between two readings includes reading the backlog.
    backlog = EpochDomain.shared.telemetry.backlog
    bytes = .now
    // Sequentially consistent, as `EventCount` requires: a thread that sees the store also sees
    // both readings.
    hasOpened.store(true, ordering: .sequentiallyConsistent)
    opening.signal()
  }

  private func wait() {
    // Sequentially consistent: pairs with the store in `open`.
    while !hasOpened.load(ordering: .sequentiallyConsistent) {
      opening.wait { !hasOpened.load(ordering: .sequentiallyConsistent) }
    }
  }
}

extension EpochDomain {
  /// Allocates the calling thread's participant record and an empty bag, and reclaims limbo.
  ///
  /// It runs before bytes are counted: the record belongs to no entry, and is allocated only once.
  func prepareThread() {
    retire(UnsafeMutableRawPointer(bitPattern: 64)!, as: Nothing.self)
    advance()
  }
}

/// A reclaimable object without memory.
private enum Nothing: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) {}
}
