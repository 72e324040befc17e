import EpochReclamation
import Measurements
import Threading

/// Several collections, used in turn for minutes, and what each leaves in memory.
///
/// One is used for a while, then everything stands still and the allocator is asked. What has changed
/// since the moment before is that collection's. All live to the end, so that what grows with use grows.
public final class Soak {
  public let specifications: [TrialSpecification]
  /// Where turns are driven from. Dispatch, on whose threads tasks run otherwise, keeps memory of each.
  private let driver: OwnedThreadExecutor
  private let threads: [OwnedThreadExecutor]
  private var collections: [SoakedSubject] = []
  private var uses: [Use]
  private let start = Clock.now()

  private struct Use {
    var operations = 0
    var liveBytes = 0
  }

  /// Makes the collections, runs `body` and joins the threads.
  public static func with<R>(
    _ specifications: [TrialSpecification], _ body: (Soak) async throws -> R
  ) async throws -> R {
    try await with(specifications, making: { try await $0.makeSoaked() }, body)
  }

  static func with<R>(
    _ specifications: [TrialSpecification],
    making make: (TrialSpecification) async throws -> SoakedSubject,
    _ body: (Soak) async throws -> R
  ) async throws -> R {
    let threads = specifications.map(\.threads).max() ?? 1
    return try await OwnedThreadExecutor.with(threads + 1) { threads in
      let soak = Soak(specifications, driver: threads[0], threads: Array(threads.dropFirst()))
      for specification in specifications {
        soak.collections.append(try await make(specification))
      }
      return try await body(soak)
    }
  }

  private init(
    _ specifications: [TrialSpecification], driver: OwnedThreadExecutor,
    threads: [OwnedThreadExecutor]
  ) {
    self.specifications = specifications
    self.driver = driver
    self.threads = threads
    uses = specifications.map { _ in Use() }
  }

  /// Uses one of the collections for about so long; nil where the allocator says nothing.
  public func use(_ index: Int, forSeconds seconds: Double) async -> SoakSeries.Sample? {
    await withTaskExecutorPreference(driver) { await takeTurn(index, forSeconds: seconds) }
  }

  private func takeTurn(_ index: Int, forSeconds seconds: Double) async -> SoakSeries.Sample? {
    await settle()
    guard let before = LiveBytes.now else { return nil }
    uses[index].operations += await collections[index].use(on: threads, forSeconds: seconds)
    await settle()
    guard let after = LiveBytes.now else { return nil }
    uses[index].liveBytes += after - before
    return SoakSeries.Sample(
      seconds: Double(Clock.now() - start) / 1e9, operations: uses[index].operations,
      liveBytes: uses[index].liveBytes)
  }

  /// What one of the collections did wrong; nil if nothing. It is not to be used after that.
  public func verify(_ index: Int) async -> String? {
    await collections[index].verify()
  }

  /// Reclaims everything that waits to be, so that nothing of it falls into another collection's turn.
  private func settle() async {
    // One after the other, when nobody is pinned any more: what is in a thread's own bags nobody else
    // can reclaim.
    for thread in threads {
      await withTaskExecutorPreference(thread) { _ = EpochDomain.shared.advance() }
    }
  }
}

/// A trial's subject with its workers, who go on after a pause where they were.
final class SoakedSubject {
  private let subject: any TrialSubject
  private let workers: [AnyWorker]

  init(_ specification: TrialSpecification, _ makeSubject: SubjectFactory) async {
    var subject = makeSubject(specification)
    subject.start()
    await subject.fill(specification.prefill)
    let started = subject
    workers = (0..<specification.threads).map {
      started.worker(at: $0, prefilled: specification.prefill)
    }
    self.subject = started
  }

  /// Lets the workers use the collection, each on its thread, and returns how many operations they made.
  ///
  /// Blocks the calling thread, which has to be an owned one.
  func use(on threads: [OwnedThreadExecutor], forSeconds seconds: Double) async -> Int {
    let stop = StopSign()
    return await withTaskGroup(of: Int.self) { group in
      for (worker, thread) in zip(workers, threads) {
        group.addTask(executorPreference: thread) {
          var meter = Meter(until: stop, stride: nil)
          await worker.operate(&meter)
          return meter.operations
        }
      }
      Clock.sleep(milliseconds: UInt32(max(1, seconds * 1000)))
      stop.raise()
      return await group.reduce(0, +)
    }
  }

  /// What the collection did wrong in all its uses; nil if nothing.
  func verify() async -> String? {
    await subject.verify(workers.map(\.findings))
  }
}

extension TrialSpecification {
  func makeSoaked() async throws -> SoakedSubject {
    await SoakedSubject(self, try await contestant.subjectFactory(for: workload))
  }
}
