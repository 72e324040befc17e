import EpochReclamation
import Measurements
import Primitives
import Threading

/// A phase of its own in which the allocator counts: what the entries take, then what operations take.
struct BytePhase<S: TrialSubject> {
  let specification: TrialSpecification
  /// How many operations each worker makes.
  let operations: Int

  /// nil where the allocator cannot count.
  func run(on threads: [OwnedThreadExecutor]) async -> Measurement.Bytes? {
    guard AllocatorProbe.isAvailable else { return nil }
    var subject = S(specification)
    let probe = AllocatorProbe()
    let before = probe.bytes.live
    probe.resetPeak()
    subject.start()
    await subject.fill(specification.size)
    EpochDomain.shared.advance()
    let filled = probe.bytes.live
    if specification.prefill == 0 { await subject.empty() }
    let counted = await count(subject, on: threads)
    let done = Double(operations * threads.count)
    return Measurement.Bytes(
      allocatedPerOperation: Double(counted.end.allocated - counted.start.allocated) / done,
      freedPerOperation: Double(counted.end.freed - counted.start.freed) / done,
      livePerEntry: Double(max(0, filled - before)) / Double(specification.size),
      peakLive: max(0, probe.bytes.peakLive - before))
  }

  /// What was counted when the last worker was ready to start, and when the last had finished.
  private func count(
    _ subject: S, on threads: [OwnedThreadExecutor]
  ) async -> (start: AllocatedBytes, end: AllocatedBytes) {
    let start = CountedRendezvous(count: threads.count)
    let end = CountedRendezvous(count: threads.count)
    await withTaskGroup(of: Void.self) { group in
      for (index, thread) in threads.enumerated() {
        let worker = subject.worker(at: index, prefilled: specification.prefill)
        group.addTask(executorPreference: thread) {
          var worker = worker
          start.arrive()
          await TimingLoop.run(&worker, times: operations)
          end.arrive()
        }
      }
    }
    return (start.bytes, end.bytes)
  }
}

/// A rendezvous whose last arrival reads the probe, while all others stand still.
private final class CountedRendezvous: @unchecked Sendable {
  // @unchecked: `bytes` is written by the last arrival, and read when all have left.
  private let rendezvous: Rendezvous
  private(set) var bytes = AllocatedBytes(allocated: 0, freed: 0, peakLive: 0)

  init(count: Int) {
    rendezvous = Rendezvous(count: count)
  }

  func arrive() {
    rendezvous.arrive { bytes = .now }
  }
}
