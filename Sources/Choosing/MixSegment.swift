import WeakCollections

// A mix that was not measured lies near the line between two that were. Of all pairs of measured mixes the one is
// taken whose line passes nearest, and of lines as near the shortest. Along it the costs themselves are
// interpolated, not their logarithms: the time of a mix is the sum of its operations'.

/// The part of the way between two measured mixes where another lies.
struct MixSegment: Hashable, Sendable {
  /// Which of the measured mixes, by their places.
  var one: Int
  var other: Int
  /// How far it is from the one to the other, from 0 to 1.
  var part: Double
  /// The part of the operations that would have to be others to lie on the line.
  var distance: Double

  /// A line longer by all operations is as bad as one that passes by this part of them.
  private static var lengthWeight: Double { 0.05 }

  /// The single mix `place`, which is `distance` away.
  init(only place: Int, distance: Double) {
    (one, other, part, self.distance) = (place, place, 0, distance)
  }

  /// The single mix with the nearest shares, as of several custom workloads of one name; nil if there is none.
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

  /// Nil if there is no mix.
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
    let part = length > 0 ? min(max((way * gone).sum() / length, 0), 1) : 0
    let rest = gone - way * part
    self.one = one.place
    self.other = other.place
    self.part = part
    distance = rest.replacing(with: -rest, where: rest .< 0).sum() / 200
  }
}

/// Which grids answer a question: those of the workload that it names or, if nobody measured that, those of
/// workloads that are nothing but a mix.
///
/// Looked up, not searched: a question would spend most of its time on passing grids by.
struct GridIndex: Hashable, Sendable {
  /// A measured workload: its grid's place, and its shares.
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

  /// The grids of the workload that `profile` names; nil if it names none, or none that was measured.
  func grids(namedBy profile: WorkloadProfile) -> [Entry]? {
    guard let workload = profile.workload else { return nil }
    return named[Name(collection: profile.collection, workload: workload)]
  }

  /// The grids of mixes.
  func mixes(of collection: CollectionKind) -> [Entry] { mixes[collection] ?? [] }
}
