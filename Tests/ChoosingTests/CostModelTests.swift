import Testing
import WeakCollections

@testable import Choosing

struct CostModelTests {
  @Test func `the cost of a backend is the median of its trials, from the best to the worst`() {
    let model = CostModel([90, 70, 1000].map { .dictionary(.mutex, $0) })
    #expect(model.nanoseconds(.mutex) == CostRange(median: 90, low: 70, high: 1000))
  }

  @Test func `between measured threads and sizes the logarithms are interpolated`() {
    let model = CostModel(
      [1, 4].flatMap { threads in
        [64, 1024].map { size in
          .dictionary(.mutex, Double(threads * size), threads: threads, size: size)
        }
      })
    for (threads, size) in [(2, 256), (1, 128), (3, 1000), (4, 1024)] {
      let profile = WorkloadProfile.dictionary(threads: threads, size: size)
      #expect(model.nanoseconds(.mutex, for: profile) == CostRange(Double(threads * size)))
      #expect(model.excess(of: profile)?.isWithin == true)
    }
  }

  @Test func `intervals are interpolated as medians are`() {
    let samples = [1, 4].flatMap { threads in
      [1, 2, 16].map { CostSample.dictionary(.mutex, $0 * Double(threads), threads: threads) }
    }
    let cost = CostModel(samples).nanoseconds(.mutex, for: .dictionary(threads: 2))
    #expect(cost == CostRange(median: 4, low: 2, high: 32))
  }

  @Test func `each number of threads may have sizes of its own`() {
    let model = CostModel([
      .dictionary(.mutex, 10, threads: 1, size: 64), .dictionary(.mutex, 40, threads: 1),
      .dictionary(.mutex, 40, threads: 4),
    ])
    let profile = WorkloadProfile.dictionary(threads: 2, size: 256)
    #expect(model.nanoseconds(.mutex, for: profile) == CostRange(800.squareRoot()).rounded)
    #expect(model.excess(of: profile)?.size == -2)
  }

  @Test(arguments: [(1, -2.0), (3, 0), (4, 0), (11, 0), (16, 1), (64, 3)])
  func `threads beyond the measured cost what the edge costs, and it is said by how much`(
    _ threads: Int, _ excess: Double
  ) {
    let model = CostModel([4, 8].map { .dictionary(.mutex, Double($0), threads: $0) })
    let profile = WorkloadProfile.dictionary(threads: threads)
    #expect(model.excess(of: profile)?.threads == excess)
    if excess != 0 {
      #expect(model.nanoseconds(.mutex, for: profile) == CostRange(threads < 4 ? 4 : 8))
    }
  }

  @Test func `backends are compared where all were measured`() {
    let model = CostModel([
      .dictionary(.mutex, 100), .dictionary(.mutex, 200, threads: 8),
      .dictionary(.readWriteLock, 1, threads: 8),
    ])
    #expect(model.nanoseconds(.readWriteLock, for: .dictionary(threads: 6)) == nil)
    #expect(model.nanoseconds(.mutex, for: .dictionary(threads: 6)) != nil)
    #expect(model.answer(to: .dictionary(threads: 8))?.cheapest == .readWriteLock)
  }

  @Test func `where no backend that may be chosen was measured the nearest point answers`() {
    let model = CostModel([
      .dictionary(.actor, 1), .dictionary(.mutex, 80, threads: 64),
      .dictionary(.mutex, 90, threads: 16),
    ])
    let profile = WorkloadProfile.dictionary(synchronousOnly: true)
    #expect(model.nanoseconds(.mutex, for: profile) == CostRange(90))
    #expect(model.excess(of: profile)?.threads == -2)
  }

  @Test func `a named workload answers for its name alone`() throws {
    let model = CostModel([
      .dictionary(.mutex, 10),
      .dictionary(
        .mutex, 70, workload: "churn", shares: OperationShares(insert: 100), isPureMix: false),
    ])
    let named = WorkloadProfile.dictionary(workload: "churn", shares: OperationShares(insert: 100))
    #expect(model.nanoseconds(.mutex, for: named) == CostRange(70))
    // Its shares alone are another question, which no measured mix is near to.
    let mix = WorkloadProfile.dictionary(shares: OperationShares(insert: 100))
    #expect(model.nanoseconds(.mutex, for: mix) == CostRange(10))
    #expect(try #require(model.excess(of: mix)).shares == 0.99)
  }

  @Test func `an unmeasured name is answered as a mix, and it is said`() throws {
    let model = CostModel([.dictionary(.mutex, 10)])
    let answer = try #require(model.answer(to: .dictionary(workload: "mine")))
    #expect(answer.excess.workload == "mine" && !answer.excess.isWithin)
  }

  @Test func `where no mix was measured no mix is answered`() {
    let model = CostModel([.dictionary(.mutex, 70, workload: "churn", isPureMix: false)])
    #expect(model.answer(to: .dictionary()) == nil)
    #expect(CostModel([CostSample]()).answer(to: .dictionary()) == nil)
  }

  @Test func `a mix between two measured ones costs its part of each`() throws {
    let model = CostModel([
      .dictionary(.mutex, 10, workload: "reads", shares: OperationShares(read: 100)),
      .dictionary(.mutex, 50, workload: "writes", shares: OperationShares(insert: 100)),
    ])
    let profile = WorkloadProfile.dictionary(shares: OperationShares(read: 75, insert: 25))
    #expect(model.nanoseconds(.mutex, for: profile) == CostRange(20))
    #expect(model.excess(of: profile)?.isWithin == true)
    let answer = try #require(model.answer(to: profile))
    #expect(model.points(of: answer).map(\.workload) == ["reads", "writes"])
  }

  @Test func `what no trial was about is said`() throws {
    let model = CostModel([.dictionary(.mutex, 10)])
    var profile = WorkloadProfile.dictionary()
    (profile.liveFraction, profile.churn, profile.keyDistribution) = (0.25, 0.5, "zipfian:0.99")
    let excess = try #require(model.excess(of: profile))
    #expect((excess.liveFraction, excess.churn) == (0.75, 0.5))
    #expect(excess.keyDistribution == "zipfian:0.99" && !excess.isWithin)
  }

  @Test func `shares are far apart by what differs`() {
    let shares = OperationShares(read: 90, insert: 10)
    #expect(shares.distance(to: shares) == 0)
    #expect(shares.distance(to: OperationShares(read: 50, insert: 50)) == 0.4)
    #expect(shares.distance(to: OperationShares(iterate: 100)) == 1)
  }

  @Test func `every backend has a lane`() {
    for backend in Backend.allCases { #expect(Backend(lane: backend.lane) == backend) }
  }
}
