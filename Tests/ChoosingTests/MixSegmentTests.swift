import Testing

@testable import Choosing

struct MixSegmentTests {
  private static let mixes = [
    OperationShares(read: 100), OperationShares(read: 90, insert: 5, remove: 5),
    OperationShares(read: 10, insert: 40, update: 10, remove: 40),
    OperationShares(iterate: 100),
  ]

  private func segment(of shares: OperationShares) -> MixSegment? {
    MixSegment(of: shares, among: entries(Self.mixes))
  }

  private func entries(_ mixes: [OperationShares]) -> [GridIndex.Entry] {
    mixes.enumerated().map { GridIndex.Entry(place: $0, shares: $1) }
  }

  @Test func `a measured mix is itself`() {
    for (place, mix) in Self.mixes.enumerated() {
      #expect(segment(of: mix) == MixSegment(only: place, distance: 0))
    }
  }

  @Test func `of lines as near the shortest is taken`() throws {
    let found = try #require(segment(of: OperationShares(read: 95, insert: 2.5, remove: 2.5)))
    #expect((found.one, found.other) == (0, 1))
    #expect(found.part == 0.5 && found.distance == 0)
  }

  @Test func `a mix beside the line says how far`() throws {
    let found = try #require(segment(of: OperationShares(read: 50, insert: 50)))
    #expect((found.one, found.other) == (1, 2))
    #expect(found.part > 0.3 && found.part < 0.7)
    #expect(abs(found.distance - 0.28) < 0.01)
  }

  @Test func `a single mix is the answer, however far`() {
    let reads = OperationShares(read: 100)
    let only = MixSegment(of: reads, among: Array(entries(Self.mixes)[3...]))
    #expect(only == MixSegment(only: 3, distance: 1))
    #expect(MixSegment(of: reads, among: []) == nil)
  }

  @Test func `of workloads of one name that with the nearest shares`() {
    let reads = OperationShares(read: 80, insert: 20)
    let found = MixSegment(nearestTo: reads, among: entries(Self.mixes))
    #expect(found?.one == 1 && found?.other == 1 && found?.part == 0)
    #expect(MixSegment(nearestTo: reads, among: []) == nil)
  }

  @Test func `two mixes of the same shares are no line`() throws {
    let same = OperationShares(read: 100)
    let found = MixSegment(of: same, among: entries([same, same]))
    #expect(found == MixSegment(only: 0, distance: 0))
  }
}
