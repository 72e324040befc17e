import EpochReclamation
import Measurements
import Threading

/// A long run that uses several collections in turn and attributes memory growth to each.
///
/// In one turn, one collection is in use; then all workers stop, and the allocator reports the live
/// bytes. The change since the beginning of the turn belongs to that collection. All collections
/// live until the end, so that growth accumulates.
package final class Soak {
  /// The collections and workloads.
  package let specifications: [TrialSpecification]
  /// The thread that starts turns; on Dispatch's threads, Dispatch would allocate memory for each.
  private let driver: OwnedThreadExecutor
  private let threads: [OwnedThreadExecutor]
  private var collections: [SoakedSubject] = []
  private var uses: [Use]
  private let start = Clock.now()

  private struct Use {
    var operations = 0
    var liveBytes = 0
  }

  /// Creates the collections, runs `body`, joins the threads, and returns the result of `body`.
  ///
  /// - Throws: Any error of `body` or of the creation of a collection.
  package static func with<R>(
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

  /// Uses collection `index` for about the given time and returns a sample of its live bytes.
  ///
  /// - Returns: `nil` if the allocator does not report live bytes.
  package func use(_ index: Int, forSeconds seconds: Double) async -> SoakSeries.Sample? {
    await withTaskExecutorPreference(driver) { await takeTurn(index, .seconds(seconds)) }
  }

  /// Uses collection `index` for the given number of operations of each worker, and returns a
  /// sample of its live bytes.
  ///
  /// - Returns: `nil` if the allocator does not report live bytes.
  func use(_ index: Int, operations: Int) async -> SoakSeries.Sample? {
    await withTaskExecutorPreference(driver) { await takeTurn(index, .operations(operations)) }
  }

  private func takeTurn(_ index: Int, _ turn: SoakTurn) async -> SoakSeries.Sample? {
    await settle()
    guard let before = LiveBytes.now else { return nil }
    uses[index].operations += await collections[index].use(on: threads, turn)
    await settle()
    guard let after = LiveBytes.now else { return nil }
    uses[index].liveBytes += after - before
    return SoakSeries.Sample(
      seconds: Double(Clock.now() - start) / 1e9, operations: uses[index].operations,
      liveBytes: uses[index].liveBytes)
  }

  /// Verifies collection `index`, which must not be used afterwards.
  ///
  /// - Returns: A description of the first error, or `nil` if the collection is correct.
  package func verify(_ index: Int) async -> String? {
    await collections[index].verify()
  }

  /// Reclaims all retired objects, so that none is reclaimed in another collection's turn.
  private func settle() async {
    // On every thread in turn, while none is pinned: only a thread itself can reclaim its own bags.
    for thread in threads {
      await withTaskExecutorPreference(thread) { _ = EpochDomain.shared.advance() }
    }
  }
}

/// The length of a turn: the time, or the operations of each worker.
enum SoakTurn {
  case seconds(Double)
  case operations(Int)
}

/// A collection of a soak with its workers, which continue where they stopped in the last turn.
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

  /// Runs each worker on its thread and returns the total number of operations.
  ///
  /// Blocks the calling thread, which must not belong to a pool.
  func use(on threads: [OwnedThreadExecutor], _ turn: SoakTurn) async -> Int {
    let stop = StopFlag()
    return await withTaskGroup(of: Int.self) { group in
      for (worker, thread) in zip(workers, threads) {
        group.addTask(executorPreference: thread) {
          var meter =
            switch turn {
            case .seconds: Meter(until: stop, stride: nil)
            case .operations(let count): Meter(times: count)
            }
          await worker.operate(&meter)
          return meter.operations
        }
      }
      if case .seconds(let seconds) = turn {
        Clock.sleep(milliseconds: UInt32(max(1, seconds * 1000)))
        stop.set()
      }
      return await group.reduce(0, +)
    }
  }

  /// Returns a description of the first error in all turns, or `nil` if the collection is correct.
  func verify() async -> String? {
    await subject.verify(workers.map(\.findings))
  }
}

extension TrialSpecification {
  func makeSoaked() async throws -> SoakedSubject {
    await SoakedSubject(self, try await contestant.subjectFactory(for: workload))
  }
}
