import Foundation
import SeededRandom

/// When operations are due that nobody coordinates: the gaps between them are exponential.
///
/// Even gaps would be simpler, but independent users do not take turns: workers in step either never meet or
/// always do, and below saturation no queue ever forms. The arrivals of several workers, drawn
/// independently, are together a Poisson process again, of the sum of their rates.
///
/// Schroeder, Wierman and Harchol-Balter, "Open Versus Closed: A Cautionary Tale", NSDI 2006.
public enum PoissonArrivals {
  /// Gaps whose mean is exactly 1, to be walked again and again.
  ///
  /// - Precondition: `count` is positive.
  public static func gaps(count: Int, seed: Seed) -> [Double] {
    precondition(count > 0, "there is at least one gap")
    var generator = SplitMix64(seed: seed)
    let gaps = (0..<count).map { _ in
      // From above 0 to 1, so that no gap is infinite.
      -log(Double((generator.next() >> 11) + 1) / 0x1p53)
    }
    let sum = gaps.reduce(0, +)
    // All of them 0 is a table of one that drew a 1.
    return sum > 0 ? gaps.map { $0 * Double(count) / sum } : gaps.map { _ in 1 }
  }
}
