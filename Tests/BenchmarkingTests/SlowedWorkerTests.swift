@testable import Benchmarking
import Testing

struct SlowedWorkerTests {
  private struct CountingWorker: TrialWorker {
    var operations = 0
    mutating func operate() async { operations += 1 }
  }

  @Test(arguments: [(0, 1000), (1, 1010), (10, 1100), (100, 2000), (250, 3500)])
  func `of a thousand operations so many are made`(_ percent: Int, _ made: Int) async {
    var worker = SlowedWorker(CountingWorker(), percent: percent)
    for _ in 0..<1000 { await worker.operate() }
    #expect(worker.worker.operations == made)
  }
}
