import Primitives
import Testing
import Threading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@testable import Benchmarking

@Suite(.serialized, .timeLimit(.minutes(10))) struct TimedPhaseTests {
  private let specification = TrialSpecification.example(threads: 3)

  /// Returns a phase that waits for its workers, however late they are.
  private func phase(_ specification: TrialSpecification) -> TimedPhase {
    TimedPhase(specification: specification, patienceSeconds: 600)
  }

  @Test func `all workers are at work whenever one of them counts`() async {
    let report = await OwnedThreadExecutor.with(3) { threads in
      await phase(specification)
        .run((0..<3).map { _ in AnyWorker(CountingWorker()) }, on: threads)
    }
    let firstToCount = report.workers.map(\.counted.lowerBound).min()!
    let lastToCount = report.workers.map(\.counted.upperBound).max()!
    for worker in report.workers {
      #expect(worker.atWork.lowerBound <= firstToCount)
      #expect(worker.atWork.upperBound >= lastToCount)
    }
  }

  @Test func `what is done before the last worker is at work is not counted`() async {
    var specification = specification
    specification.warmupSeconds = 0
    let workers = (0..<3).map { _ in CountingWorker() }
    let report = await OwnedThreadExecutor.with(3) { threads in
      await withTaskGroup(of: Void.self) { group in
        // Keeps a worker from starting until another has long been at work.
        group.addTask(executorPreference: threads[2]) {
          while workers[0].operations < 1000 { sched_yield() }
        }
        return await phase(specification)
          .run(workers.map { AnyWorker($0) }, on: threads)
      }
    }
    #expect(workers[0].operations - report.workers[0].operations >= 1000)
  }

  @Test func `a window that a worker never sees close ends nevertheless`() async {
    let window = CommonWindow(workers: 1, patienceSeconds: 0.001)
    window.enter()
    #expect(await window.count {} >= 0.001)
    await window.dismiss()
    #expect(window.end.isSet)
  }
}

/// Does nothing, and says how often.
private struct CountingWorker: TrialWorker {
  private final class Tally: Sendable {
    let operations = Atomic<Int>(0)
  }

  private let tally = Tally()

  // Relaxed, both: a count, through which nothing else is read.
  mutating func operate() async { tally.operations.wrappingAdd(1, ordering: .relaxed) }
  var operations: Int { tally.operations.load(ordering: .relaxed) }
}
