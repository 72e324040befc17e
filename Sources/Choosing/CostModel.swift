// The cost of each backend, predicted from the measured grid.
//
// 1. The answer to a question that names a measured workload comes only from that workload's grid
//    (`CostGrid`).
// 2. Any other question is a mix of operations. Its answer comes from the measured mixes, between
//    the two whose connecting line passes nearest (`MixSegment`). Of workloads with the same
//    shares, the one measured nearest to the question answers, then the one with more backends.
// 3. All backends are evaluated at the same place. A backend that was not measured there is
//    ignored.
// 4. If no backend was measured all around the place, the nearest measured point provides the
//    answer.
// 5. A place outside the grid is clamped to its edge, and `GridExcess` records the distance.
//
// Costs are lanes of a vector, one lane for each backend, so an answer allocates no collection.

import Foundation
import WeakCollections

/// A model of the costs of the backends, from the measurements of one calibration key.
public struct CostModel: Hashable, Sendable {
  /// The measurements, in order.
  public let costs: [MeasuredCost]
  private let grids: [CostGrid]
  private let index: GridIndex

  /// The distance between two mixes that have nothing in common, in doublings of threads.
  private static var shareWeight: Double { 16 }

  /// Creates a model of costs that were measured under one key.
  public init(_ costs: [MeasuredCost]) {
    self.costs = costs.sorted(by: MeasuredCost.isOrdered).chunked { $0.point == $1.point }
      .flatMap(MeasuredCost.comparable)
    grids = self.costs.chunked { $0.point.isOfSameWorkload(as: $1.point) }.map(CostGrid.init)
    index = GridIndex(of: grids)
  }

  /// Creates a model of samples that were measured under one key.
  public init(_ samples: [CostSample]) {
    self.init(MeasuredCost.summaries(of: samples))
  }

  /// The sessions that measured the costs, in order.
  public var sessions: [String] {
    Set(costs.flatMap { $0.sessions.map(\.session) }).sorted(by: SessionCost.isOrdered)
  }

  /// Returns the model of the costs in some sessions alone.
  public func only(_ sessions: Set<String>) -> CostModel {
    CostModel(costs.compactMap { $0.only(sessions) })
  }

  /// Returns disjoint groups of sessions, each of which measured all of `points`; none if a point
  /// was not measured.
  ///
  /// One run may measure the collections with few entries, and another with many. Its sessions then
  /// lack points of an answer between the two, and only a session of each has all of them. No
  /// session is in two groups, so the groups are independent, as sessions are.
  ///
  /// - Parameter points: The points of an answer.
  /// - Complexity: O(*p* × *c*) for *p* points and *c* costs.
  package func sessionGroups(measuring points: [GridPoint]) -> [[String]] {
    var measured: [String: Set<GridPoint>] = [:]
    for point in points {
      for session in MeasuredCost.fullSessions(of: costs.filter({ $0.point == point })) {
        measured[session, default: []].insert(point)
      }
    }
    let alike = Dictionary(grouping: measured.keys) { measured[$0, default: []] }
    let count = points.map { point in
      alike.filter { $0.key.contains(point) }.map(\.value.count).max() ?? 0
    }.min()
    guard let count, count > 0 else { return [] }
    var groups = [[String]](repeating: [], count: count)
    for sessions in alike.values {
      for (place, session) in sessions.sorted(by: SessionCost.isOrdered).enumerated() {
        groups[place % count].append(session)
      }
    }
    return groups.map { $0.sorted(by: SessionCost.isOrdered) }
  }

  /// Returns the costs of the backends that `profile` can use; nil if nothing relevant was
  /// measured.
  ///
  /// - Parameters:
  ///   - profile: The workload.
  ///   - objective: The cost by which the answer compares backends.
  /// - Complexity: O(*w*² + *p*) for *w* measured mixes and *p* points of a workload. Allocates no
  ///   collection.
  public func answer(
    to profile: WorkloadProfile, objective: CostObjective = .throughput
  ) -> CostAnswer? {
    let named = index.grids(namedBy: profile)
    let question = CostQuestion(profile, objective, isNamed: named != nil)
    let mixes = named ?? index.mixes(of: profile.collection)
    guard let basis = basis(for: question, among: mixes) else { return nil }
    let answer = answer(to: question, on: basis)
    if answer.hasCosts { return answer }
    guard let nearest = nearestBasis(for: question, among: mixes) else { return nil }
    let second = self.answer(to: question, on: nearest)
    return second.hasCosts ? second : nil
  }

  /// Returns all costs of a backend at the place of an answer; nil if it was not measured there.
  public func costs(of backend: Backend, at answer: CostAnswer) -> PredictedCost? {
    let (lane, basis) = (backend.lane, answer.basis)
    guard let nanoseconds = costs(of: .throughput, on: basis)[lane] else { return nil }
    return PredictedCost(
      backend: backend, nanosecondsPerOperation: nanoseconds,
      p99Nanoseconds: costs(of: .p99, on: basis)[lane],
      bytesPerEntry: costs(of: .bytes, on: basis)[lane])
  }

  /// Returns the points on which an answer is based.
  public func points(of answer: CostAnswer) -> [GridPoint] {
    let basis = answer.basis
    func points(_ side: CostBasis.Side) -> [GridPoint] { grids[side.grid].points(at: side.place) }
    return points(basis.one) + (basis.mix.fraction > 0 ? points(basis.other) : [])
  }

  private func basis(for question: CostQuestion, among mixes: [GridIndex.Mix]) -> CostBasis? {
    let shares = question.profile.shares
    let mix =
      question.isNamed
      ? MixSegment(nearestTo: shares, among: mixes) : MixSegment(of: shares, among: mixes)
    guard let mix else { return nil }
    return CostBasis(
      mix: mix, one: side(for: question, in: mixes[mix.one]),
      other: side(for: question, in: mixes[mix.other]))
  }

  /// Returns the place of a question in the nearest grid of a mix; of equally near grids, in the
  /// one with the most backends.
  private func side(for question: CostQuestion, in mix: GridIndex.Mix) -> CostBasis.Side {
    func side(_ grid: Int) -> CostBasis.Side {
      CostBasis.Side(
        grid: grid,
        place: grids[grid].place(threads: question.threads, entries: question.entries))
    }
    var best = side(mix.grids[0])
    for grid in mix.grids.dropFirst() {
      let next = side(grid)
      if (next.place.excess, -backendCount(for: question, at: next))
        < (best.place.excess, -backendCount(for: question, at: best))
      {
        best = next
      }
    }
    return best
  }

  /// Returns the number of backends measured at a place that the question allows.
  private func backendCount(for question: CostQuestion, at side: CostBasis.Side) -> Int {
    question.score { grids[side.grid].costs(at: side.place, of: $0) }.measuredCount
  }

  /// Returns the nearest single point at which a backend was measured that the question allows.
  private func nearestBasis(
    for question: CostQuestion, among mixes: [GridIndex.Mix]
  ) -> CostBasis? {
    var nearest: CostBasis?
    var least = (distance: Double.infinity, order: 0)
    for (number, mix) in mixes.enumerated() {
      let shares = question.profile.shares.distance(to: mix.shares)
      for grid in mix.grids {
        let place = grids[grid].nearestPlace(
          threads: question.threads, entries: question.entries
        ) { question.score($0).isMeasured }
        guard let place else { continue }
        let side = CostBasis.Side(grid: grid, place: place)
        let rank = (
          distance: hypot(place.excess, Self.shareWeight * shares),
          order: -backendCount(for: question, at: side)
        )
        guard rank < least else { continue }
        least = rank
        nearest = CostBasis(
          mix: MixSegment(only: number, distance: shares), one: side, other: side)
      }
    }
    return nearest
  }

  private func answer(to question: CostQuestion, on basis: CostBasis) -> CostAnswer {
    var excess = question.excess
    excess.add(basis.one.place)
    if basis.mix.fraction > 0 { excess.add(basis.other.place) }
    excess.addShares(basis.mix.distance)
    return CostAnswer(
      basis: basis, excess: excess, score: question.score { costs(of: $0, on: basis) })
  }

  private func costs(of objective: CostObjective, on basis: CostBasis) -> CostLanes {
    func costs(_ side: CostBasis.Side) -> CostLanes {
      grids[side.grid].costs(at: side.place, of: objective)
    }
    guard basis.mix.fraction > 0 else { return costs(basis.one) }
    return .between(costs(basis.one), costs(basis.other), at: basis.mix.fraction)
  }
}

/// The place of an answer in a model: between two places, one in each of two grids.
struct CostBasis: Hashable, Sendable {
  /// A place in one of the grids.
  struct Side: Hashable, Sendable {
    var grid: Int
    var place: GridPlace
  }

  var mix: MixSegment
  var one: Side
  var other: Side
}

extension Array {
  /// Returns the longest pieces in which adjacent elements belong together.
  fileprivate func chunked(_ belong: (Element, Element) -> Bool) -> [[Element]] {
    var pieces: [[Element]] = []
    for element in self {
      if let last = pieces.last?.last, belong(last, element) {
        pieces[pieces.count - 1].append(element)
      } else {
        pieces.append([element])
      }
    }
    return pieces
  }
}

/// A profile in the terms of the model.
struct CostQuestion {
  let profile: WorkloadProfile
  let objective: CostObjective
  /// Whether the profile names a measured workload.
  let isNamed: Bool
  /// The binary logarithm of the number of threads; `entries` is that of the entries.
  let threads: Double
  let entries: Double
  /// Lanes that are infinite for the backends that the profile cannot use, and 0 for the others.
  let excluded: CostLanes.Lanes

  init(_ profile: WorkloadProfile, _ objective: CostObjective, isNamed: Bool) {
    self.profile = profile
    self.objective = objective
    self.isNamed = isNamed
    threads = log2(Double(profile.threads))
    entries = log2(Double(profile.entries))
    excluded =
      profile.synchronousOnly ? Backend.lanesOfSuspending : CostLanes.Lanes(repeating: 0)
  }

  /// Returns the score of each backend, where lower is better: the objective's cost, weighed
  /// against bytes.
  func score(_ costs: (CostObjective) -> CostLanes) -> CostLanes {
    let time = costs(objective).excluding(excluded)
    let weight = profile.memoryWeight
    guard weight > 0 else { return time }
    // Excluded here too: at a weight of 1, only the bytes count.
    let bytes = costs(.bytes).excluding(excluded)
    return CostLanes.between(time.logarithms, bytes.logarithms, at: weight).exponentials
  }

  /// The properties of the question that no measurement covers. A named workload has its own dead
  /// entries and churn; mixes were measured without either. Keys were always drawn uniformly.
  var excess: GridExcess {
    var excess = GridExcess()
    if profile.keyDistribution != WorkloadProfile.uniformKeys {
      excess.keyDistribution = profile.keyDistribution
    }
    guard !isNamed else { return excess }
    excess.workload = profile.workload
    excess.addDeaths(liveFraction: profile.liveFraction, churn: profile.churn)
    return excess
  }
}

/// The cost of each backend for one question.
public struct CostAnswer: Hashable, Sendable {
  let basis: CostBasis
  /// The distance of the question from the measured grid.
  public let excess: GridExcess
  /// The score of each backend; lower is better.
  private let score: CostLanes

  init(basis: CostBasis, excess: GridExcess, score: CostLanes) {
    self.basis = basis
    self.excess = excess
    self.score = score
  }

  var hasCosts: Bool { score.isMeasured }

  /// The backend with the lowest median; the first one of equally cheap backends.
  public var cheapest: Backend { Backend(lane: cheapestLane) }

  /// Returns the score by which the backends are compared: the objective's cost or, with a memory
  /// weight, a mean of the cost and the bytes. Nil for a backend that was not measured here, or
  /// that the profile cannot use.
  public func score(of backend: Backend) -> CostRange? { score[backend.lane] }

  private var cheapestLane: Int {
    score.median.indices.reduce(0) { score.median[$1] < score.median[$0] ? $1 : $0 }
  }
}
