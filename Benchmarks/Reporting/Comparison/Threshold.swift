/// How far from 1 a ratio may be, as a part of it: 0.05 is 5 %.
package struct Threshold: Hashable, Sendable {
  package let part: Double

  /// - Precondition: the part is finite and not negative.
  package init(_ part: Double) {
    precondition(part >= 0 && part.isFinite, "a threshold is a part from 0")
    self.part = part
  }

  /// From 1 ÷ 1.05 to 1.05: the same whichever side is the base, and whether time is compared or rate.
  package var span: ClosedRange<Double> { 1 / (1 + part)...(1 + part) }
}
