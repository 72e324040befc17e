import Testing
import WeakCollections

@testable import Choosing

struct GridIndexTests {
  private static let reads = OperationShares(read: 100)
  private static let writes = OperationShares(insert: 50, remove: 50)

  private let index = GridIndex(of: [
    grid(.dictionary, "read-only", reads),
    grid(.dictionary, "rapid-grow", writes, isPureMix: false),
    grid(.dictionary, "custom", writes), grid(.weakArray, "read-only", reads),
    grid(.dictionary, "custom", reads),
  ])

  private static func grid(
    _ collection: CollectionKind, _ workload: String, _ shares: OperationShares,
    isPureMix: Bool = true
  ) -> CostGrid {
    let point = GridPoint(
      collection: collection, workload: workload, shares: shares, isPureMix: isPureMix, threads: 1,
      size: 64)
    return CostGrid([
      MeasuredCost(
        point: point, backend: .mutex, trials: 1, nanosecondsPerOperation: CostRange(10))
    ])
  }

  private func places(named workload: String?, of collection: CollectionKind) -> [Int]? {
    let profile = WorkloadProfile(
      collection: collection, workload: workload, shares: Self.reads, threads: 1, cores: 1,
      size: 64,
      synchronousOnly: false)
    return index.grids(namedBy: profile)?.map(\.place)
  }

  @Test func `a name answers for its collection alone, with all its grids`() {
    #expect(places(named: "read-only", of: .dictionary) == [0])
    #expect(places(named: "read-only", of: .weakArray) == [3])
    #expect(places(named: "custom", of: .dictionary) == [2, 4])
    #expect(places(named: "rapid-grow", of: .dictionary) == [1])
    #expect(places(named: "rapid-grow", of: .weakArray) == nil)
    #expect(places(named: nil, of: .dictionary) == nil)
  }

  @Test func `what is more than a mix answers for no mix`() {
    #expect(index.mixes(of: .dictionary).map(\.place) == [0, 2, 4])
    #expect(index.mixes(of: .weakArray).map(\.place) == [3])
    #expect(index.mixes(of: .weakSet).isEmpty)
  }
}
