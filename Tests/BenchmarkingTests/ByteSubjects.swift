import EpochReclamation
import Primitives
import Threading
import WeakCollections

@testable import Benchmarking

/// The byte phase of a subject, with a worker for each number of operations.
func bytes(
  of makeSubject: @escaping SubjectFactory, operations: [Int],
  contestant: Contestant = .baseline(for: .dictionary),
  workload: String = "read-only"
) async -> ByteReport? {
  let phase = BytePhase(
    specification: .example(contestant, workload, threads: operations.count),
    makeSubject: makeSubject, operations: operations)
  return await OwnedThreadExecutor.with(operations.count) { threads in
    // Once in vain: the runtime allocates for what it does the first time.
    _ = await phase.run(on: threads)
    return await phase.run(on: threads)
  }
}

/// A subject whose worker is all there is of it.
protocol WorkerSubject: TrialSubject {
  associatedtype Worker: TrialWorker

  init()
  func worker(at index: Int) -> Worker
}

extension WorkerSubject {
  init(_ specification: TrialSpecification) { self.init() }
  func start() {}
  func fill(_ count: Int) async {}
  func empty() async {}
  func worker(at index: Int, prefilled: Int) -> AnyWorker { AnyWorker(worker(at: index)) }
  func verify(_ findings: [WorkerFindings]) async -> String? { nil }
  var lifetimes: LifetimeCounter? { nil }
}

/// What one worker allocates another frees.
struct Passing: WorkerSubject {
  private let passed = Passed()

  struct Worker: TrialWorker {
    fileprivate let passed: Passed
    let isMaker: Bool
    var count = 0

    mutating func operate() async {
      if isMaker {
        passed.put(Block.make(), at: count)
      } else {
        passed.take(at: count).deallocate()
      }
      count += 1
    }
  }

  func worker(at index: Int) -> Worker {
    Worker(passed: passed, isMaker: index == 0)
  }
}

/// Pointers on their way from one thread to another.
private final class Passed: @unchecked Sendable {
  // @unchecked: a place is written before `count` exceeds it, and read after.
  private let places = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: 4096)
  private let count = Atomic<Int>(0)

  deinit { places.deallocate() }

  func put(_ block: UnsafeMutableRawPointer, at index: Int) {
    (places + index).initialize(to: block)
    count.store(index + 1, ordering: .releasing)
  }

  func take(at index: Int) -> UnsafeMutableRawPointer {
    while count.load(ordering: .acquiring) <= index { spinHint() }
    return places[index]
  }
}

/// What filling a subject does to memory.
protocol Fill: SendableMetatype {
  static func fill(_ kept: UnsafeMutableRawPointer)
}

/// Frees what there was before.
enum Shrinking: Fill {
  static func fill(_ kept: UnsafeMutableRawPointer) { kept.deallocate() }
}

enum Staying: Fill {
  static func fill(_ kept: UnsafeMutableRawPointer) {}
}

struct Filling<F: Fill>: WorkerSubject {
  // Sent: `fill` alone touches it.
  private nonisolated(unsafe) let kept = Block.make(4096)

  struct Worker: TrialWorker {
    var sum = 0
    mutating func operate() async { sum += 1 }
  }

  func fill(_ count: Int) async { F.fill(kept) }
  func worker(at index: Int) -> Worker { Worker() }
}

/// Allocates 64 bytes an operation and notes how often that was counted.
struct Watching: WorkerSubject {
  struct Worker: TrialWorker {
    var counted = 0

    mutating func operate() async {
      let before = AllocatedBytes.now.allocated
      let block = Block.make()
      if AllocatedBytes.now.allocated != before { counted += 1 }
      block.deallocate()
    }

    // Findings have no field for it: a miss is what the trial must not have.
    var findings: WorkerFindings { WorkerFindings(misses: counted) }
  }

  func worker(at index: Int) -> Worker { Worker() }

  /// Of the workers of the timed phase.
  func verify(_ findings: [WorkerFindings]) async -> String? {
    let counted = findings.reduce(0) { $0 + $1.misses }
    return counted == 0 ? nil : "\(counted) operations were counted while they were timed"
  }
}

/// Retires 112 bytes an operation.
struct Retiring: WorkerSubject {
  struct Worker: TrialWorker {
    func operate() async { Retiring.retire() }
  }

  static func retire() { EpochDomain.shared.retire(Block.make(100), as: RetiredBlock.self) }

  func worker(at index: Int) -> Worker { Worker() }
}

private enum RetiredBlock: Reclaimable {
  static func reclaim(_ pointer: UnsafeMutableRawPointer) { pointer.deallocate() }
}
