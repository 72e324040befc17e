import Foundation

/// By how much a question lies outside what was measured, and in which direction. The answer is then that of the
/// nearest place that was measured: nothing is extrapolated.
public struct GridExcess: Hashable, Sendable, Codable {
  /// In doublings; below 0 if it asks for fewer threads than were measured.
  public var threads = 0.0
  /// In doublings; below 0 if it asks for a smaller size than was measured.
  public var size = 0.0
  /// The part of the operations that would have to be others to lie between measured mixes.
  public var shares = 0.0
  /// A workload that was not measured by this name; the answer is that for its mix.
  public var workload: String?
  /// How much smaller the live part of the entries is than where it was measured, which is 1.
  public var liveFraction = 0.0
  /// The part of the operations that let an entry die, where none did.
  public var churn = 0.0
  /// A distribution of keys that was not measured.
  public var keyDistribution: String?

  public init() {}

  /// Up to this, in doublings, a question is as good as measured.
  static var doublingsAllowed: Double { 0.5 }
  /// Up to this part of the operations a mix is as good as measured.
  static var sharesAllowed: Double { 0.05 }

  public var isWithin: Bool { self == GridExcess() }

  /// What is beyond the measured by so little that it does not count is taken as nothing.
  mutating func add(_ place: GridPlace) {
    threads = Self.larger(threads, place.threadsExcess)
    size = Self.larger(size, place.sizeExcess)
  }

  mutating func addShares(_ distance: Double) {
    if distance > Self.sharesAllowed { shares = max(shares, distance) }
  }

  private static func larger(_ one: Double, _ other: Double) -> Double {
    abs(other) > max(doublingsAllowed, abs(one)) ? other : one
  }
}

extension GridExcess: CustomStringConvertible {
  /// Such as "4 times the threads measured"; empty within.
  public var description: String {
    var parts: [String] = []
    if threads != 0 { parts.append("\(Self.factor(threads)) the threads measured") }
    if size != 0 { parts.append("\(Self.factor(size)) the size measured") }
    if shares > 0 {
      parts.append("\(Self.percent(shares)) of the operations are of no measured mix")
    }
    if let workload { parts.append("the workload \(workload) was not measured") }
    if liveFraction > 0 {
      parts.append("\(Self.percent(liveFraction)) fewer entries live than measured")
    }
    if churn > 0 {
      parts.append("\(Self.percent(churn)) of the operations let an entry die, measured none")
    }
    if let keyDistribution { parts.append("keys drawn \(keyDistribution) were not measured") }
    return parts.joined(separator: "; ")
  }

  private static func factor(_ doublings: Double) -> String {
    let factor = exp2(abs(doublings))
    let digits = (factor * 10).rounded() / 10
    let text = digits == digits.rounded() && digits < 1e15 ? "\(Int(digits))" : "\(digits)"
    return doublings > 0 ? "\(text) times" : "1/\(text) of"
  }

  private static func percent(_ part: Double) -> String {
    "\(Int((part * 100).rounded())) %"
  }
}
