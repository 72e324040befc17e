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
