// A mix that was not measured lies near the line between two measured mixes. The segment connects
// the pair of measured mixes whose line passes nearest; of equally near lines, the shortest. Along
// the line, the costs themselves are interpolated rather than their logarithms: the time of a mix
// is the sum of the times of its operations.

import WeakCollections

/// The place of a mix on the line between two measured mixes.
struct MixSegment: Hashable, Sendable {
  /// The two measured mixes, by the places of their grids.
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
  init?(nearestTo shares: OperationShares, among mixes: [GridIndex.Entry]) {
    var nearest: MixSegment?
    for mix in mixes {
      let distance = shares.distance(to: mix.shares)
      if distance < nearest?.distance ?? .infinity {
        nearest = MixSegment(only: mix.place, distance: distance)
      }
    }
    guard let nearest else { return nil }
    self = nearest
  }

  /// Creates the segment nearest to `shares`; nil if there is no mix.
  init?(of shares: OperationShares, among mixes: [GridIndex.Entry]) {
    guard var best = MixSegment(nearestTo: shares, among: mixes) else { return nil }
    var least = best.distance
    for (number, one) in mixes.enumerated() {
      for other in mixes[(number + 1)...] {
        let segment = MixSegment(one, other, of: shares)
        let badness = segment.distance + Self.lengthWeight * one.shares.distance(to: other.shares)
        if badness < least { (best, least) = (segment, badness) }
      }
    }
    self = best
  }

  private init(
    _ one: GridIndex.Entry, _ other: GridIndex.Entry, of shares: OperationShares
  ) {
    let way = other.shares.lanes - one.shares.lanes
    let gone = shares.lanes - one.shares.lanes
    let length = (way * way).sum()
    let fraction = length > 0 ? min(max((way * gone).sum() / length, 0), 1) : 0
    let rest = gone - way * fraction
    self.one = one.place
    self.other = other.place
    self.fraction = fraction
    distance = rest.replacing(with: -rest, where: rest .< 0).sum() / 200
  }
}

/// An index of the grids that answer a question: those of the named workload or, if that was not
/// measured, those of the mixes.
///
/// A search through all grids would take most of the time of a question.
struct GridIndex: Hashable, Sendable {
  /// A measured workload: the place of its grid, and its shares.
  struct Entry: Hashable, Sendable {
    let place: Int
    let shares: OperationShares
  }

  private struct Name: Hashable {
    let collection: CollectionKind
    let workload: String
  }

  private var mixes: [CollectionKind: [Entry]] = [:]
  private var named: [Name: [Entry]] = [:]

  init(of grids: [CostGrid]) {
    for (place, grid) in grids.enumerated() {
      let (workload, entry) = (grid.workload, Entry(place: place, shares: grid.shares))
      let name = Name(collection: workload.collection, workload: workload.workload)
      named[name, default: []].append(entry)
      if workload.isPureMix { mixes[workload.collection, default: []].append(entry) }
    }
  }

  /// Returns the grids of the workload that `profile` names; nil if it names no measured workload.
  func grids(namedBy profile: WorkloadProfile) -> [Entry]? {
    guard let workload = profile.workload else { return nil }
    return named[Name(collection: profile.collection, workload: workload)]
  }

  /// Returns the grids of the mixes.
  func mixes(of collection: CollectionKind) -> [Entry] { mixes[collection] ?? [] }
}
