import Foundation

extension Scale {
  /// The values that an axis names, by growing size; few enough for their names to have room.
  package var ticks: [Double] {
    switch self {
    case .linear(let range): Self.evenTicks(in: range)
    case .logarithmic(let range, let hasZero):
      (hasZero ? [0] : []) + Self.decadeTicks(in: range)
    }
  }

  /// Steps of 1, 2 or 5 times a power of ten, at most five of them.
  private static func evenTicks(in range: ClosedRange<Double>) -> [Double] {
    let span = range.upperBound - range.lowerBound
    guard span > 0 else { return [range.lowerBound] }
    let decade = Int(floor(log10(span)))
    let candidates = (decade - 1...decade).flatMap { decade in
      [1.0, 2, 5].map { $0 * powerOfTen(decade) }
    }
    let step = candidates.first { span / $0 < 5.5 } ?? span
    let first = Int((range.lowerBound / step).rounded(.up))
    let last = Int((range.upperBound / step + 1e-9).rounded(.down))
    return (first...max(first, last)).map { Double($0) * step }
  }

  /// Powers of ten, with 2 and 5 times them where there are less than two, and not each where there are
  /// more than eight.
  private static func decadeTicks(in range: ClosedRange<Double>) -> [Double] {
    let first = Int(floor(log10(range.lowerBound) + 1e-9))
    let last = Int(ceil(log10(range.upperBound) - 1e-9))
    let decades = range.upperBound / range.lowerBound
    let step = max(1, Int((Double(last - first) / 8).rounded(.up)))
    let multiples = decades < 500 ? [1.0, 2, 5] : [1.0]
    let inside = range.lowerBound * (1 - 1e-9)...range.upperBound * (1 + 1e-9)
    let ticks: [Double] = stride(from: first, through: last, by: step).flatMap { decade in
      multiples.map { $0 * powerOfTen(decade) }
    }
    return ticks.filter(inside.contains)
  }
}
