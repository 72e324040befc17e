import Foundation
import Testing
import WeakCollections

@testable import Choosing

struct CostModelTests {
  @Test func `the cost of a backend is the median of its sessions, with the range of all sessions`()
  {
    let model = CostModel(
      zip([90, 70, 1000], ["1", "2", "3"]).map { .dictionary(.mutex, $0, session: $1) })
    #expect(model.nanoseconds(.mutex) == CostRange(median: 90, low: 70, high: 1000))
  }

  @Test func `costs between measured thread and entry counts are interpolated logarithmically`() {
    let model = CostModel(
      [1, 4].flatMap { threads in
        [64, 1024].map { entries in
          .dictionary(.mutex, Double(threads * entries), threads: threads, entries: entries)
        }
      })
    for (threads, entries) in [(2, 256), (1, 128), (3, 1000), (4, 1024)] {
      let profile = WorkloadProfile.dictionary(threads: threads, entries: entries)
      #expect(model.nanoseconds(.mutex, for: profile) == CostRange(Double(threads * entries)))
      #expect(model.excess(of: profile)?.isWithin == true)
    }
  }

  @Test func `ranges are interpolated like medians`() {
    let samples = [1, 4].flatMap { threads in
      [1, 2, 16].map {
        CostSample.dictionary(
          .mutex, $0 * Double(threads), threads: threads, session: "\($0)")
      }
    }
    let cost = CostModel(samples).nanoseconds(.mutex, for: .dictionary(threads: 2))
    #expect(cost == CostRange(median: 4, low: 2, high: 32))
  }

  @Test func `a model can be restricted to one session`() {
    let model = CostModel([
      .dictionary(.mutex, 90, session: "2"), .dictionary(.mutex, 70, session: "10"),
      .dictionary(.actor, 5, session: "10"),
    ])
    #expect(model.sessions == ["2", "10"])
    #expect(model.only(["2"]).nanoseconds(.mutex) == CostRange(90))
    #expect(model.only(["2"]).nanoseconds(.actor) == nil)
    #expect(model.only(["3"]).answer(to: .dictionary()) == nil)
  }

  @Test func `sessions that measured different points form groups, each with all points`() throws {
    func sample(_ backend: Backend, entries: Int, _ session: String) -> CostSample {
      .dictionary(backend, 10, entries: entries, session: session)
    }
    let samples =
      ["1", "2", "3", "10", "11"].flatMap { session in
        [Backend.mutex, .lockFree].map { sample($0, entries: 1024, session) }
      }
      + ["5", "6"].flatMap { session in
        [Backend.mutex, .lockFree].map { sample($0, entries: 16_384, session) }
      }
      // Session 7 measured only one backend, so it is incomplete.
      + [sample(.mutex, entries: 16_384, "7")]
    let model = CostModel(samples)
    let answer = try #require(model.answer(to: .dictionary(entries: 4096)))
    let points = model.points(of: answer)
    #expect(points.map(\.entries) == [1024, 16_384])
    #expect(
      model.sessionGroups(measuring: points) == [["1", "3", "5", "11"], ["2", "6", "10"]])
    #expect(model.sessionGroups(measuring: [points[0]]).count == 5)
    var missing = points[0]
    missing.threads = 64
    #expect(model.sessionGroups(measuring: points + [missing]) == [])
  }

  @Test func `each number of threads may have its own entry counts`() {
    let model = CostModel([
      .dictionary(.mutex, 10, threads: 1, entries: 64), .dictionary(.mutex, 40, threads: 1),
      .dictionary(.mutex, 40, threads: 4),
    ])
    let profile = WorkloadProfile.dictionary(threads: 2, entries: 256)
    #expect(model.nanoseconds(.mutex, for: profile) == CostRange(800.squareRoot()).rounded)
    #expect(model.excess(of: profile)?.entries == -2)
  }

  @Test(arguments: [(1, -2.0), (3, 0), (4, 0), (11, 0), (16, 1), (64, 3)])
  func `a thread count outside the range costs as much as the nearest, and the excess is given`(
    _ threads: Int, _ excess: Double
  ) {
    let model = CostModel([4, 8].map { .dictionary(.mutex, Double($0), threads: $0) })
    let profile = WorkloadProfile.dictionary(threads: threads)
    #expect(model.excess(of: profile)?.threads == excess)
    if excess != 0 {
      #expect(model.nanoseconds(.mutex, for: profile) == CostRange(threads < 4 ? 4 : 8))
    }
  }

  @Test func `the interpolation uses only points at which all backends were measured`() {
    let model = CostModel([
      .dictionary(.mutex, 100), .dictionary(.mutex, 200, threads: 8),
      .dictionary(.readWriteLock, 1, threads: 8),
    ])
    #expect(model.nanoseconds(.readWriteLock, for: .dictionary(threads: 6)) == nil)
    #expect(model.nanoseconds(.mutex, for: .dictionary(threads: 6)) != nil)
    #expect(model.answer(to: .dictionary(threads: 8))?.cheapest == .readWriteLock)
  }

  @Test func `if no eligible backend was measured at the point, the nearest point counts`() {
    let model = CostModel([
      .dictionary(.actor, 1), .dictionary(.mutex, 80, threads: 64),
      .dictionary(.mutex, 90, threads: 16),
    ])
    let profile = WorkloadProfile.dictionary(synchronousOnly: true)
    #expect(model.nanoseconds(.mutex, for: profile) == CostRange(90))
    #expect(model.excess(of: profile)?.threads == -2)
  }

  @Test func `a named workload that is no pure mix counts for its name only`() throws {
    let model = CostModel([
      .dictionary(.mutex, 10),
      .dictionary(
        .mutex, 70, workload: "churn", shares: OperationShares(insert: 100), isPureMix: false),
    ])
    let named = WorkloadProfile.dictionary(workload: "churn", shares: OperationShares(insert: 100))
    #expect(model.nanoseconds(.mutex, for: named) == CostRange(70))
    // A profile with only its shares asks for a mix, and no measured mix is near.
    let mix = WorkloadProfile.dictionary(shares: OperationShares(insert: 100))
    #expect(model.nanoseconds(.mutex, for: mix) == CostRange(10))
    #expect(try #require(model.excess(of: mix)).shares == 0.99)
  }

  @Test func `an unmeasured name is treated as a mix, and the excess names it`() throws {
    let model = CostModel([.dictionary(.mutex, 10)])
    let answer = try #require(model.answer(to: .dictionary(workload: "mine")))
    #expect(answer.excess.workload == "mine" && !answer.excess.isWithin)
  }

  @Test func `if no mix was measured, a mix has no answer`() {
    let model = CostModel([.dictionary(.mutex, 70, workload: "churn", isPureMix: false)])
    #expect(model.answer(to: .dictionary()) == nil)
    #expect(CostModel([CostSample]()).answer(to: .dictionary()) == nil)
  }

  @Test func `the cost of a mix between two measured mixes is interpolated`() throws {
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

  /// Workloads with equal shares are one mix, independent of their names and their order.
  @Test(arguments: ["a", "z"])
  func `the workload with more measurements answers for all with the same shares`(_ name: String)
    throws
  {
    let model = CostModel([
      .dictionary(.mutex, 10, workload: name, threads: 4),
      .dictionary(.mutex, 20), .dictionary(.lockFree, 5),
      .dictionary(.mutex, 40, threads: 8), .dictionary(.lockFree, 9, threads: 8),
    ])
    let answer = try #require(model.answer(to: .dictionary(threads: 4)))
    #expect(answer.cheapest == .lockFree && answer.score(of: .mutex)?.median == 20)
    let beyond = try #require(model.answer(to: .dictionary(threads: 8)))
    #expect(beyond.cheapest == .lockFree && beyond.excess.isWithin)
    // Neither was measured with 64 threads, so the nearer one counts.
    #expect(model.answer(to: .dictionary(threads: 64))?.excess.threads == 3)
    // A profile with the workload's name still uses that workload only.
    let named = WorkloadProfile.dictionary(workload: name)
    #expect(model.nanoseconds(.mutex, for: named) == CostRange(10))
    #expect(model.nanoseconds(.lockFree, for: named) == nil)
  }

  @Test func `far from all points, the workload with more backends counts`() {
    let model = CostModel([
      .dictionary(.actor, 1, workload: "a"), .dictionary(.mutex, 80, workload: "b", threads: 64),
      .dictionary(.mutex, 90, workload: "c", threads: 64),
      .dictionary(.lockFree, 70, workload: "c", threads: 64),
    ])
    #expect(model.answer(to: .dictionary(synchronousOnly: true))?.cheapest == .lockFree)
  }

  @Test func `an excess names the properties of the profile that no trial measured`() throws {
    let model = CostModel([.dictionary(.mutex, 10)])
    var profile = WorkloadProfile.dictionary()
    (profile.liveFraction, profile.churn, profile.keyDistribution) = (0.25, 0.5, "zipfian:0.99")
    let excess = try #require(model.excess(of: profile))
    #expect((excess.liveFraction, excess.churn) == (0.75, 0.5))
    #expect(excess.keyDistribution == "zipfian:0.99" && !excess.isWithin)
  }

  @Test func `the distance of shares is the fraction of operations that differ`() {
    let shares = OperationShares(read: 90, insert: 10)
    #expect(shares.distance(to: shares) == 0)
    #expect(shares.distance(to: OperationShares(read: 50, insert: 50)) == 0.4)
    #expect(shares.distance(to: OperationShares(iterate: 100)) == 1)
  }

  @Test func `every backend has its own lane`() {
    for backend in Backend.allCases { #expect(Backend(lane: backend.lane) == backend) }
    #expect(Backend.allCases.map(\.lane).allSatisfy(CostLanes.unmeasured.median.indices.contains))
  }
}

struct CostRangeTests {
  @Test func `a range has the median, the minimum and the maximum of the positive costs`() {
    #expect(CostRange(of: [5, 3, 100, 4]) == CostRange(median: 4.5, low: 3, high: 100))
    #expect(CostRange(of: [7, 0]) == CostRange(7))
    #expect(CostRange(of: [0, -.infinity, .nan]) == nil)
  }
}

struct MixSegmentTests {
  private static let mixes = [
    OperationShares(read: 100), OperationShares(read: 90, insert: 5, remove: 5),
    OperationShares(read: 10, insert: 40, update: 10, remove: 40),
    OperationShares(iterate: 100),
  ]

  private func segment(of shares: OperationShares) -> MixSegment? {
    MixSegment(of: shares, among: mixes(Self.mixes))
  }

  private func mixes(_ shares: [OperationShares]) -> [GridIndex.Mix] {
    shares.enumerated().map { GridIndex.Mix(shares: $1, grids: [$0]) }
  }

  @Test func `a measured mix is its own nearest mix`() {
    for (place, mix) in Self.mixes.enumerated() {
      #expect(segment(of: mix) == MixSegment(only: place, distance: 0))
    }
  }

  @Test func `of segments at equal distance, the shortest is chosen`() throws {
    let found = try #require(segment(of: OperationShares(read: 95, insert: 2.5, remove: 2.5)))
    #expect((found.one, found.other) == (0, 1))
    #expect(found.fraction == 0.5 && found.distance == 0)
  }

  @Test func `a mix outside of every segment has a distance`() throws {
    let found = try #require(segment(of: OperationShares(read: 50, insert: 50)))
    #expect((found.one, found.other) == (1, 2))
    #expect(found.fraction > 0.3 && found.fraction < 0.7)
    #expect(abs(found.distance - 0.28) < 0.01)
  }

  @Test func `a single mix is the nearest, at any distance`() {
    let reads = OperationShares(read: 100)
    let only = MixSegment(of: reads, among: Array(mixes(Self.mixes)[3...]))
    #expect(only == MixSegment(only: 0, distance: 1))
    #expect(MixSegment(of: reads, among: []) == nil)
  }

  @Test func `of workloads with one name, the one with the nearest shares is chosen`() {
    let reads = OperationShares(read: 80, insert: 20)
    let found = MixSegment(nearestTo: reads, among: mixes(Self.mixes))
    #expect(found?.one == 1 && found?.other == 1 && found?.fraction == 0)
    #expect(MixSegment(nearestTo: reads, among: []) == nil)
  }

  @Test func `two mixes with the same shares form no segment`() throws {
    let same = OperationShares(read: 100)
    let found = MixSegment(of: same, among: mixes([same, same]))
    #expect(found == MixSegment(only: 0, distance: 0))
  }
}

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
      entries: 64)
    return CostGrid([
      MeasuredCost(
        point: point, backend: .mutex,
        sessions: [SessionCost(session: "1", nanosecondsPerOperation: 10)])
    ])
  }

  private func grids(named workload: String?, of collection: CollectionKind) -> [[Int]]? {
    let profile = WorkloadProfile(
      collection: collection, workload: workload, shares: Self.reads, threads: 1, cores: 1,
      entries: 64, synchronousOnly: false)
    return index.grids(namedBy: profile)?.map(\.grids)
  }

  @Test func `a name stands for all its grids of one collection`() {
    #expect(grids(named: "read-only", of: .dictionary) == [[0]])
    #expect(grids(named: "read-only", of: .weakArray) == [[3]])
    #expect(grids(named: "custom", of: .dictionary) == [[2], [4]])
    #expect(grids(named: "rapid-grow", of: .dictionary) == [[1]])
    #expect(grids(named: "rapid-grow", of: .weakArray) == nil)
    #expect(grids(named: nil, of: .dictionary) == nil)
  }

  @Test func `a workload that is more than a mix does not count as a mix`() {
    #expect(index.mixes(of: .dictionary).map(\.grids) == [[0, 4], [2]])
    #expect(index.mixes(of: .weakArray).map(\.grids) == [[3]])
    #expect(index.mixes(of: .weakSet).isEmpty)
  }
}

struct GridExcessTests {
  @Test func `a few dead entries are no excess, but many are`() {
    func excess(liveFraction: Double, churn: Double) -> GridExcess {
      var excess = GridExcess()
      excess.addDeaths(liveFraction: liveFraction, churn: churn)
      return excess
    }
    #expect(excess(liveFraction: 0.96, churn: 0.04).isWithin)
    #expect(excess(liveFraction: 0.9, churn: 0).liveFraction > 0)
    #expect(excess(liveFraction: 1, churn: 0.1).churn == 0.1)
  }

  @Test func `without an excess the description is empty`() {
    #expect(GridExcess().isWithin && GridExcess().description.isEmpty)
  }

  @Test func `the description has each excess with its direction`() {
    var excess = GridExcess()
    (excess.threads, excess.entries, excess.shares) = (3, -4, 0.26)
    #expect(
      excess.description
        == "8 times the measured threads; 1/16 of the measured entries; "
        + "26 % of the operations match no measured mix")
    excess = GridExcess()
    (excess.workload, excess.liveFraction, excess.churn) = ("mine", 0.5, 0.1)
    excess.keyDistribution = "single-key"
    #expect(
      excess.description
        == "the workload mine was not measured; 50 % fewer live entries than measured; "
        + "10 % of the operations let an entry die, unlike in any measured mix; "
        + "single-key keys were not measured")
  }
}

extension CalibrationKey {
  static let here = CalibrationKey(
    compiler: "6.3.1", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 2)
  static let elsewhere = CalibrationKey(
    compiler: "6.3", mutexFlavor: "priority-inheritance", architecture: "x86_64", cores: 16)
}

extension OperationShares {
  static let readHeavy = OperationShares(read: 98, insert: 1, remove: 1)
}

extension CostSample {
  static func dictionary(
    _ backend: Backend, _ cost: Double, bytes: Double? = nil, p99: Double? = nil,
    workload: String = "read-heavy", shares: OperationShares = .readHeavy,
    isPureMix: Bool = true, threads: Int = 4, entries: Int = 1024, session: String = "1",
    key: CalibrationKey = .here
  ) -> CostSample {
    CostSample(
      key: key,
      point: GridPoint(
        collection: .dictionary, workload: workload, shares: shares, isPureMix: isPureMix,
        threads: threads, entries: entries),
      backend: backend, session: session, nanosecondsPerOperation: cost, p99Nanoseconds: p99,
      bytesPerEntry: bytes)
  }
}

extension WorkloadProfile {
  static func dictionary(
    workload: String? = nil, shares: OperationShares = .readHeavy, threads: Int = 4,
    cores: Int = 2, entries: Int = 1024, synchronousOnly: Bool = false
  ) -> WorkloadProfile {
    WorkloadProfile(
      collection: .dictionary, workload: workload, shares: shares, threads: threads, cores: cores,
      entries: entries, synchronousOnly: synchronousOnly)
  }
}

extension CostModel {
  /// Returns the cost of `backend` for `profile`, without the digits that rounding errors of
  /// logarithms change.
  func nanoseconds(_ backend: Backend, for profile: WorkloadProfile = .dictionary()) -> CostRange? {
    answer(to: profile).flatMap { costs(of: backend, at: $0) }?.nanosecondsPerOperation.rounded
  }

  func excess(of profile: WorkloadProfile) -> GridExcess? { answer(to: profile)?.excess }
}

extension CostRange {
  /// The range, rounded to millionths.
  var rounded: CostRange {
    func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
    return CostRange(median: rounded(median), low: rounded(low), high: rounded(high))
  }
}
