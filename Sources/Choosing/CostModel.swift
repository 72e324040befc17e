// Which backend costs how much, from the measured grid. A question that names a measured workload is answered from
// that workload's grid alone (`CostGrid`). Any other is a mix of operations, and is answered from the workloads
// that are nothing but a mix, between the two whose line passes nearest (`MixSegment`). All backends are read at
// the same place, so that one that was not measured there takes no part. If no backend was measured all around the
// place, the nearest measured point answers. What lies outside is clamped to the edge, and `GridExcess` says so.
//
// Costs are lanes of a vector, a lane a backend, so that an answer builds no collection.

import Foundation
import WeakCollections

/// What the backends cost, from the measurements of one calibration key.
public struct CostModel: Hashable, Sendable {
  /// What it rests on, in order.
  public let costs: [MeasuredCost]
  private let grids: [CostGrid]
  private let index: GridIndex

  /// A mix that has nothing in common with a measured one is as far as this many doublings of its threads.
  private static var shareWeight: Double { 16 }

  /// A model of what was measured under one key.
  public init(_ costs: [MeasuredCost]) {
    self.costs = costs.sorted(by: MeasuredCost.isOrdered)
    grids = self.costs.chunked { $0.point.isOfSameWorkload(as: $1.point) }.map(CostGrid.init)
    index = GridIndex(of: grids)
  }

  /// A model of `samples`, all of which were measured under one key.
  public init(_ samples: [CostSample]) {
    self.init(MeasuredCost.summaries(of: samples))
  }

  /// What the backends that `profile` can use cost; nil if nothing that bears on it was measured.
  ///
  /// - Complexity: O(*w*² + *p*) for *w* measured mixes and *p* points of a workload; builds no collection.
  public func answer(
    to profile: WorkloadProfile, objective: CostObjective = .throughput
  ) -> CostAnswer? {
    let named = index.grids(namedBy: profile)
    let question = CostQuestion(profile, objective, isNamed: named != nil)
    let entries = named ?? index.mixes(of: profile.collection)
    guard let basis = basis(for: question, among: entries) else { return nil }
    let answer = answer(to: question, on: basis)
    if answer.hasCosts { return answer }
    guard let nearest = nearestBasis(for: question, among: entries) else { return nil }
    let second = self.answer(to: question, on: nearest)
    return second.hasCosts ? second : nil
  }

  /// What a backend costs where an answer is from, whatever the answer's objective; nil if it was not measured
  /// there.
  public func costs(of backend: Backend, at answer: CostAnswer) -> PredictedCost? {
    let (lane, basis) = (backend.lane, answer.basis)
    guard let nanoseconds = costs(of: .throughput, on: basis)[lane] else { return nil }
    return PredictedCost(
      backend: backend, nanosecondsPerOperation: nanoseconds,
      p99Nanoseconds: costs(of: .p99, on: basis)[lane],
      bytesPerEntry: costs(of: .bytes, on: basis)[lane])
  }

  /// The points that an answer rests on.
  public func points(of answer: CostAnswer) -> [GridPoint] {
    let basis = answer.basis
    let points = grids[basis.mix.one].points(at: basis.one)
    return basis.mix.part > 0 ? points + grids[basis.mix.other].points(at: basis.other) : points
  }

  private func basis(for question: CostQuestion, among entries: [GridIndex.Entry]) -> CostBasis? {
    let shares = question.profile.shares
    let mix =
      question.isNamed
      ? MixSegment(nearestTo: shares, among: entries) : MixSegment(of: shares, among: entries)
    guard let mix else { return nil }
    return CostBasis(
      mix: mix, one: grids[mix.one].place(threads: question.threads, size: question.size),
      other: grids[mix.other].place(threads: question.threads, size: question.size))
  }

  /// The nearest single point at which any backend was measured that the question allows.
  private func nearestBasis(
    for question: CostQuestion, among entries: [GridIndex.Entry]
  ) -> CostBasis? {
    var nearest: (basis: CostBasis, distance: Double)?
    for entry in entries {
      let shares = question.profile.shares.distance(to: entry.shares)
      let place = grids[entry.place].nearestPlace(
        threads: question.threads, size: question.size
      ) { question.score($0).isMeasured }
      guard let place else { continue }
      let distance = hypot(place.excess, Self.shareWeight * shares)
      if distance < nearest?.distance ?? .infinity {
        let mix = MixSegment(only: entry.place, distance: shares)
        nearest = (CostBasis(mix: mix, one: place, other: place), distance)
      }
    }
    return nearest?.basis
  }

  private func answer(to question: CostQuestion, on basis: CostBasis) -> CostAnswer {
    var excess = question.excess
    excess.add(basis.one)
    if basis.mix.part > 0 { excess.add(basis.other) }
    excess.addShares(basis.mix.distance)
    return CostAnswer(
      basis: basis, excess: excess, score: question.score { costs(of: $0, on: basis) })
  }

  private func costs(of objective: CostObjective, on basis: CostBasis) -> CostLanes {
    let one = grids[basis.mix.one].costs(at: basis.one, of: objective)
    guard basis.mix.part > 0 else { return one }
    let other = grids[basis.mix.other].costs(at: basis.other, of: objective)
    return .between(one, other, at: basis.mix.part)
  }
}

/// Where in a model an answer is from: between two places, one in each of two grids.
struct CostBasis: Hashable, Sendable {
  var mix: MixSegment
  var one: GridPlace
  var other: GridPlace
}

extension Array {
  /// The longest pieces whose neighbours belong together.
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
