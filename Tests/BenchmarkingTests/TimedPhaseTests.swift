import Primitives
import Testing
import Threading

#if canImport(Glibc)
  import Glibc
#endif

@testable import Benchmarking

@Suite(.serialized) struct TimedPhaseTests {
  private let specification = TrialSpecification.example(threads: 3)

  @Test func `all workers are at work whenever one of them counts`() async {
    let outcome = await OwnedThreadExecutor.with(3) { threads in
      await TimedPhase<CountingSubject>(specification: specification)
        .run(CountingSubject(specification), prefilled: 0, on: threads)
    }
    let firstToCount = outcome.reports.map(\.counted.lowerBound).min()!
    let lastToCount = outcome.reports.map(\.counted.upperBound).max()!
    for report in outcome.reports {
      #expect(report.atWork.lowerBound <= firstToCount)
      #expect(report.atWork.upperBound >= lastToCount)
    }
  }

  @Test func `what is done before the last worker is at work is not counted`() async {
    var specification = specification
    specification.warmupSeconds = 0
    let subject = CountingSubject(specification)
    let outcome = await OwnedThreadExecutor.with(3) { threads in
      await withTaskGroup(of: Void.self) { group in
        // Keeps a worker from starting until another has long been at work.
        group.addTask(executorPreference: threads[2]) {
          while subject.operations(of: 0) < 1000 { sched_yield() }
        }
        return await TimedPhase<CountingSubject>(specification: specification)
          .run(subject, prefilled: 0, on: threads)
      }
    }
    #expect(subject.operations(of: 0) - outcome.reports[0].operations >= 1000)
  }

  @Test func `a window that a worker never sees close ends nevertheless`() async {
    let window = CommonWindow(workers: 1, patienceSeconds: 0.001)
    window.enter()
    #expect(await window.count {} >= 0.001)
    await window.dismiss()
    #expect(window.end.isUp)
  }
}

/// Nothing, used by workers who say how often they did.
private struct CountingSubject: TrialSubject {
  final class Tally: Sendable {
    let operations = Atomic<Int>(0)
  }

  struct Worker: TrialWorker {
    let tally: Tally
    // Relaxed: a count, through which nothing else is read.
    mutating func operate() async { tally.operations.wrappingAdd(1, ordering: .relaxed) }
  }

  private let tallies: [Tally]

  init(_ specification: TrialSpecification) {
    tallies = (0..<specification.threads).map { _ in Tally() }
  }

  func start() {}
  func fill(_ count: Int) async {}
  func empty() async {}
  func verify(_ workers: [Worker]) async -> String? { nil }
  var census: Census? { nil }

  func worker(at index: Int, prefilled: Int) -> Worker { Worker(tally: tallies[index]) }

  // Relaxed: as above.
  func operations(of worker: Int) -> Int { tallies[worker].operations.load(ordering: .relaxed) }
}
