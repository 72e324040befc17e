// A mix that was not measured lies near the line between two that were. Of all pairs of measured mixes the one is
// taken whose line passes nearest, and of lines as near the shortest. Along it the costs themselves are
// interpolated, not their logarithms: the time of a mix is the sum of its operations'. Of the committed rows,
// leaving read-heavy and mixed out in turn, this predicts them within a factor of 1.3 on average, logarithms
// within 1.5.

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

  /// Nil if none of the `count` mixes is a wanted one.
  init?(of shares: OperationShares, among count: Int, at mix: (Int) -> OperationShares?) {
    var best: MixSegment?
    var least = Double.infinity
    for one in 0..<count {
      guard let mine = mix(one) else { continue }
      let single = MixSegment(only: one, distance: shares.distance(to: mine))
      if single.distance < least { (best, least) = (single, single.distance) }
      for other in one + 1..<max(count, one + 1) {
        guard let its = mix(other) else { continue }
        let segment = MixSegment(one, other, of: shares, from: mine, to: its)
        let badness = segment.distance + Self.lengthWeight * mine.distance(to: its)
        if badness < least { (best, least) = (segment, badness) }
      }
    }
    guard let best else { return nil }
    self = best
  }

  private init(
    _ one: Int, _ other: Int, of shares: OperationShares, from mine: OperationShares,
    to its: OperationShares
  ) {
    let way = its.lanes - mine.lanes
    let gone = shares.lanes - mine.lanes
    let length = (way * way).sum()
    let part = length > 0 ? min(max((way * gone).sum() / length, 0), 1) : 0
    let rest = gone - way * part
    self.one = one
    self.other = other
    self.part = part
    distance = rest.replacing(with: -rest, where: rest .< 0).sum() / 200
  }
}
