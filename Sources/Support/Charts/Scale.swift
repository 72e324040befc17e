import Foundation

/// Maps values to positions along an axis, from 0 to 1.
package enum Scale: Hashable, Sendable {
  case linear(ClosedRange<Double>)
  /// A scale on which equal ratios have equal distances.
  ///
  /// If `hasZero` is true, a 0, which has no logarithm, is at the beginning, apart from the range.
  case logarithmic(ClosedRange<Double>, hasZero: Bool)

  /// A larger ratio of the greatest to the least value gets a logarithmic scale.
  private static let mostLinearRatio = 10.0
  /// The position where the range begins if a 0 needs room before it.
  private static let fractionBeforeRange = 0.12
  /// The values that a scale distinguishes. Powers of ten beyond them overflow or underflow.
  private static let drawable = 1e-290...1e290

  /// Returns a scale that fits `values`: linear from 0, or logarithmic for a wide range.
  ///
  /// Its end is 1, 2 or 5 times a power of ten, and so is the beginning of a logarithmic scale.
  ///
  /// - Precondition: All values are finite and not negative.
  package static func fitting(_ values: [Double]) -> Scale {
    let misfit = values.first { !($0.isFinite && $0 >= 0) }
    guard misfit == nil else {
      fatalError("values must be finite and at least 0, got \(misfit.map { "\($0)" } ?? "")")
    }
    let values = values.map { $0 == 0 ? 0 : min(max($0, drawable.lowerBound), drawable.upperBound) }
    let positive = values.filter { $0 > 0 }
    guard let least = positive.min(), let most = positive.max() else { return .linear(0...1) }
    guard most / least > mostLinearRatio else { return .linear(0...rounded(up: most)) }
    return .logarithmic(rounded(down: least)...rounded(up: most), hasZero: values.contains(0))
  }

  /// Returns the position of `value`; the nearer end for a value outside the range.
  package func position(of value: Double) -> Double {
    switch self {
    case .linear(let range):
      return Self.fraction(of: value, in: range)
    case .logarithmic(let range, let hasZero):
      let start = hasZero ? Self.fractionBeforeRange : 0
      guard value > 0 else { return 0 }
      let logarithms = log10(range.lowerBound)...log10(range.upperBound)
      return start + (1 - start) * Self.fraction(of: log10(value), in: logarithms)
    }
  }

  private static func fraction(of value: Double, in range: ClosedRange<Double>) -> Double {
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

  /// Returns round numbers below and above `value`, in increasing order.
  private static func steps(around value: Double) -> [Double] {
    let decade = Int(floor(log10(value)))
    return (decade - 1...decade + 1).flatMap { decade in
      [1.0, 2, 5].map { $0 * powerOfTen(decade) }
    }
  }

  /// Returns the value of the literal, such as 1e-3, without the error of a repeated product.
  static func powerOfTen(_ exponent: Int) -> Double { Double("1e\(exponent)")! }

  /// The values to label, in increasing order; few enough that their labels do not overlap.
  package var ticks: [Double] {
    switch self {
    case .linear(let range): Self.evenTicks(in: range)
    case .logarithmic(let range, let hasZero):
      (hasZero ? [0] : []) + Self.decadeTicks(in: range)
    }
  }

  /// Returns at most six ticks, whose distance is 1, 2 or 5 times a power of ten.
  private static func evenTicks(in range: ClosedRange<Double>) -> [Double] {
    let span = range.upperBound - range.lowerBound
    guard span > 0 else { return [range.lowerBound] }
    let decade = Int(floor(log10(span)))
    typealias Step = (multiple: Double, decade: Int)
    let candidates: [Step] = [decade - 1, decade].flatMap { decade -> [Step] in
      [(1, decade), (2, decade), (5, decade)]
    }
    let step =
      candidates.first { span / ($0.multiple * powerOfTen($0.decade)) < 5.5 } ?? (1, decade + 1)
    let size = step.multiple * powerOfTen(step.decade)
    let first = Int((range.lowerBound / size).rounded(.up))
    let last = Int((range.upperBound / size + 1e-9).rounded(.down))
    return (first...max(first, last)).map { index in
      let value = Double(index) * step.multiple
      // A product with 0.1 would give 0.6000000000000001 for 0.6.
      return step.decade < 0
        ? value / powerOfTen(-step.decade) : value * powerOfTen(step.decade)
    }
  }

  /// Returns the powers of ten in the range; also 2 and 5 times them in a narrow range, and not all
  /// of them in a wide one.
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
