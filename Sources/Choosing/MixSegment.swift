// A mix that was not measured lies near the line between two measured mixes. The segment connects
// the pair of measured mixes whose line passes nearest; of equally near lines, the shortest. Along
// the line, the costs themselves are interpolated rather than their logarithms: the time of a mix
// is the sum of the times of its operations.

import WeakCollections

/// The place of a mix on the line between two measured mixes.
struct MixSegment: Hashable, Sendable {
  /// The two measured mixes, by their places in the list of mixes.
  var one: Int
  var other: Int
  /// The fraction of the way from the first mix to the second, from 0 to 1.
  var fraction: Double
  /// The fraction of the operations that would have to change for the mix to lie on the line.
  var distance: Double

  /// The weight of the length of a line relative to its distance.
  private static var lengthWeight: Double { 0.05 }

  /// Creates a segment that is the single mix at `place`, which is `distance` away.
  init(only place: Int, distance: Double) {
    (one, other, fraction, self.distance) = (place, place, 0, distance)
  }

  /// Creates a segment that is the single nearest mix, for example among custom workloads with the
  /// same name; nil if there is no mix.
  init?(nearestTo shares: OperationShares, among mixes: [GridIndex.Mix]) {
    var nearest: MixSegment?
    for (place, mix) in mixes.enumerated() {
      let distance = shares.distance(to: mix.shares)
      if distance < nearest?.distance ?? .infinity {
        nearest = MixSegment(only: place, distance: distance)
      }
    }
    guard let nearest else { return nil }
    self = nearest
  }

  /// Creates the segment nearest to `shares`; nil if there is no mix.
  init?(of shares: OperationShares, among mixes: [GridIndex.Mix]) {
    guard var best = MixSegment(nearestTo: shares, among: mixes) else { return nil }
    var least = best.distance
    for one in mixes.indices {
      for other in mixes.indices[(one + 1)...] {
        let segment = MixSegment(one, other, of: shares, among: mixes)
        let length = mixes[one].shares.distance(to: mixes[other].shares)
        let cost = segment.distance + Self.lengthWeight * length
        if cost < least { (best, least) = (segment, cost) }
      }
    }
    self = best
  }

  private init(_ one: Int, _ other: Int, of shares: OperationShares, among mixes: [GridIndex.Mix]) {
    let start = mixes[one].shares.lanes
    let direction = mixes[other].shares.lanes - start
    let offset = shares.lanes - start
    let length = (direction * direction).sum()
    let fraction = length > 0 ? min(max((direction * offset).sum() / length, 0), 1) : 0
    let rest = offset - direction * fraction
    self.one = one
    self.other = other
    self.fraction = fraction
    distance = rest.replacing(with: -rest, where: rest .< 0).sum() / 200
  }
}

/// An index of the grids that answer a question: those of the named workload or, if that was not
/// measured, those of the mixes.
///
/// A search through all grids would take most of the time of a question.
struct GridIndex: Hashable, Sendable {
  /// The measured workloads with the same shares, by the places of their grids.
  struct Mix: Hashable, Sendable {
    let shares: OperationShares
    fileprivate(set) var grids: [Int]
  }

  private struct Name: Hashable {
    let collection: CollectionKind
    let workload: String
  }

  private var mixes: [CollectionKind: [Mix]] = [:]
  private var named: [Name: [Mix]] = [:]

  init(of grids: [CostGrid]) {
    for (place, grid) in grids.enumerated() {
      let workload = grid.workload
      let name = Name(collection: workload.collection, workload: workload.workload)
      named[name, default: []].add(place, grid.shares)
      if workload.isPureMix { mixes[workload.collection, default: []].add(place, grid.shares) }
    }
  }

  /// Returns the grids of the workload that `profile` names; nil if it names no measured workload.
  func grids(namedBy profile: WorkloadProfile) -> [Mix]? {
    guard let workload = profile.workload else { return nil }
    return named[Name(collection: profile.collection, workload: workload)]
  }

  /// Returns the grids of the mixes.
  func mixes(of collection: CollectionKind) -> [Mix] { mixes[collection] ?? [] }
}

extension [GridIndex.Mix] {
  fileprivate mutating func add(_ grid: Int, _ shares: OperationShares) {
    if let place = firstIndex(where: { $0.shares == shares }) {
      self[place].grids.append(grid)
    } else {
      append(GridIndex.Mix(shares: shares, grids: [grid]))
    }
  }
}
