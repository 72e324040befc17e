import Foundation

/// Maps values to positions along an axis, from 0 to 1.
package enum Scale: Hashable, Sendable {
  case linear(ClosedRange<Double>)
  /// Equal ratios are equal distances. A 0, which no logarithm reaches, lies at the beginning, apart from
  /// the range, if `hasZero` is true.
  case logarithmic(ClosedRange<Double>, hasZero: Bool)

  /// Wider spans are logarithmic.
  private static let mostLinearRatio = 10.0
  /// Where the range begins if something must have room before it.
  private static let partBeforeRange = 0.12
  /// Outside of these, powers of ten and what is made of them leave the numbers that there are.
  private static let drawable = 1e-290...1e290

  /// Ends at 1, 2 or 5 times a power of ten, and begins there too unless it is linear and begins at 0.
  ///
  /// - Precondition: all values are finite and not negative.
  package static func fitting(_ values: [Double]) -> Scale {
    precondition(values.allSatisfy { $0.isFinite && $0 >= 0 }, "an axis is for numbers from 0")
    let values = values.map { $0 == 0 ? 0 : min(max($0, drawable.lowerBound), drawable.upperBound) }
    let positive = values.filter { $0 > 0 }
    guard let least = positive.min(), let most = positive.max() else { return .linear(0...1) }
    guard most / least > mostLinearRatio else { return .linear(0...rounded(up: most)) }
    return .logarithmic(rounded(down: least)...rounded(up: most), hasZero: values.contains(0))
  }

  /// What lies outside is drawn at the nearer end.
  package func position(of value: Double) -> Double {
    switch self {
    case .linear(let range):
      return Self.part(of: value, in: range)
    case .logarithmic(let range, let hasZero):
      let start = hasZero ? Self.partBeforeRange : 0
      guard value > 0 else { return 0 }
      let logarithms = log10(range.lowerBound)...log10(range.upperBound)
      return start + (1 - start) * Self.part(of: log10(value), in: logarithms)
    }
  }

  private static func part(of value: Double, in range: ClosedRange<Double>) -> Double {
    let span = range.upperBound - range.lowerBound
    guard span > 0 else { return 0.5 }
    return min(max((value - range.lowerBound) / span, 0), 1)
  }

  private static func rounded(up value: Double) -> Double {
    steps(around: value).first { $0 >= value * (1 - 1e-9) }!
  }

  private static func rounded(down value: Double) -> Double {
    steps(around: value).last { $0 <= value * (1 + 1e-9) }!
  }

  /// From below the value to above it.
  private static func steps(around value: Double) -> [Double] {
    let decade = Int(floor(log10(value)))
    return (decade - 1...decade + 1).flatMap { decade in
      [1.0, 2, 5].map { $0 * powerOfTen(decade) }
    }
  }

  /// As exact as a literal: 1e-3, not 10 × 10 × …
  static func powerOfTen(_ exponent: Int) -> Double { Double("1e\(exponent)")! }

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
