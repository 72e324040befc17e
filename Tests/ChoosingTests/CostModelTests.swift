import Choosing
import Testing
import WeakCollections

struct CostModelTests {
  @Test func `the cost of a backend is the median of its trials`() throws {
    let model = CostModel([90, 70, 1000].map { .dictionary(.mutex, $0) })
    let (_, costs) = try #require(model.nearest(to: .dictionary(), among: Backend.allCases))
    #expect(costs.map(\.nanosecondsPerOperation) == [90])
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 4), (16, 8)])
  func `threads are near by their ratio`(_ asked: Int, _ found: Int) {
    let model = CostModel([1, 4, 8].map { .dictionary(.mutex, 1, threads: $0) })
    #expect(point(nearest: .dictionary(threads: asked), in: model)?.threads == found)
  }

  @Test(arguments: [(1, 64), (255, 64), (257, 1024), (100_000, 1024)])
  func `sizes are near by their ratio`(_ asked: Int, _ found: Int) {
    let model = CostModel([64, 1024].map { .dictionary(.mutex, 1, size: $0) })
    #expect(point(nearest: .dictionary(size: asked), in: model)?.size == found)
  }

  @Test func `shares decide between workloads unless one is named`() {
    let model = CostModel([
      .dictionary(.mutex, 1),
      .dictionary(.mutex, 1, workload: "leak-monitor", shares: OperationShares(update: 100)),
      .dictionary(.mutex, 1, workload: "get-or-insert", shares: OperationShares(insert: 100)),
    ])
    let profile = WorkloadProfile.dictionary(shares: OperationShares(read: 40, update: 60))
    #expect(point(nearest: profile, in: model)?.workload == "leak-monitor")
    let named = WorkloadProfile.dictionary(workload: "get-or-insert")
    #expect(point(nearest: named, in: model)?.workload == "get-or-insert")
    let unmeasured = WorkloadProfile.dictionary(workload: "mine")
    #expect(point(nearest: unmeasured, in: model)?.workload == "read-heavy")
  }

  @Test func `backends are compared at one point only`() throws {
    let model = CostModel([
      .dictionary(.mutex, 100), .dictionary(.lockFree, 90),
      .dictionary(.readWriteLock, 1, threads: 8),
    ])
    let (_, costs) = try #require(model.nearest(to: .dictionary(), among: Backend.allCases))
    #expect(costs.map(\.backend) == [.mutex, .lockFree])
  }

  @Test func `a model of nothing has no answer`() {
    #expect(CostModel([]).nearest(to: .dictionary(), among: Backend.allCases) == nil)
  }

  @Test func `shares are far apart by what differs`() {
    let shares = OperationShares(read: 90, insert: 10)
    #expect(shares.distance(to: shares) == 0)
    #expect(shares.distance(to: OperationShares(read: 50, insert: 50)) == 0.4)
    #expect(shares.distance(to: OperationShares(iterate: 100)) == 1)
  }

  private func point(nearest profile: WorkloadProfile, in model: CostModel) -> GridPoint? {
    model.nearest(to: profile, among: Backend.allCases)?.point
  }
}
