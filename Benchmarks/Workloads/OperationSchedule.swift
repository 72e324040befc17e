import Foundation
import SeededRandom

/// A shuffled table of operations in exactly the proportions of a mix.
///
/// A worker walks through it again and again, so that the timed part only indexes an array. Because
/// the proportions are exact, a mix with equal shares of inserts and removals does not drift: the
/// number of entries is back where it was after each round.
public struct OperationSchedule: Sendable, Equatable {
  /// A multiple of 100, for every share to come out even, and 3 KB, to stay in the cache.
  public static let defaultLength = 3_200

  public let operations: [OperationKind]

  /// - Precondition: `length` is a positive multiple of 100.
  public init(mix: OperationMix, seed: Seed, length: Int = defaultLength) {
    precondition(
      length > 0 && length.isMultiple(of: 100), "a schedule's length is a positive multiple of 100")
    var operations = OperationKind.allCases.flatMap { operation in
      Array(repeating: operation, count: mix.share(of: operation) * (length / 100))
    }
    var generator = SplitMix64(seed: seed)
    generator.shuffle(&operations)
    self.operations = operations
  }
}

/// The times at which independent users start operations: the gaps between them are exponential.
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

/// The keys of a dictionary that inserts new keys and removes the oldest: as many as entries, from a cyclic
/// range twice as long.
///
/// The window's place follows from how many draws were made, so that keys can be drawn before the clock
/// starts. With workers of their own pace each has a window of its own, in about the same place.
public struct SlidingWindow: Hashable, Sendable {
  public let size: Int
  /// Per cent of the draws that move the window by one key.
  public let insertShare: Int

  public init(size: Int, insertShare: Int) {
    precondition(size > 0, "a window has a key")
    self.size = size
    self.insertShare = insertShare
  }

  public var range: Int { 2 * size }

  /// The key that leaves next.
  public func oldest(afterDraws draws: Int) -> Int {
    draws * insertShare / 100 % range
  }

  /// The key that comes next.
  public func next(afterDraws draws: Int) -> Int {
    key(size, afterDraws: draws)
  }

  /// The key at `place`, from the oldest, which has 0, to `size - 1`.
  public func key(_ place: Int, afterDraws draws: Int) -> Int {
    (oldest(afterDraws: draws) + place) % range
  }

  /// The keys at the places drawn, while the window moves.
  public func keys(atPlaces places: [Int]) -> [Int] {
    places.enumerated().map { draws, place in key(place, afterDraws: draws) }
  }
}
