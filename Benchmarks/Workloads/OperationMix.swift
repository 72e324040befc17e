import Foundation
import SeededRandom

/// The shares of operations, in whole percent that sum to exactly 100.
public struct OperationMix: Codable, Hashable, Sendable {
  /// The percentage of reads.
  public let read: Int
  /// The percentage of inserts.
  public let insert: Int
  /// The percentage of updates.
  public let update: Int
  /// The percentage of removals.
  public let remove: Int
  /// The percentage of iterations.
  public let iterate: Int

  /// Creates a mix from whole percentages.
  ///
  /// - Throws: `WorkloadError.shareOutOfRange` if a share is not from 0 to 100, and
  ///   `WorkloadError.sharesDoNotSumTo100` if they do not sum to 100.
  public init(
    read: Int = 0, insert: Int = 0, update: Int = 0, remove: Int = 0, iterate: Int = 0
  ) throws(WorkloadError) {
    self.init(unchecked: (read, insert, update, remove, iterate))
    for operation in OperationKind.allCases where !(0...100).contains(share(of: operation)) {
      throw .shareOutOfRange(operation, found: share(of: operation))
    }
    // No overflow: each share is at most 100 by now.
    let sum = read + insert + update + remove + iterate
    guard sum == 100 else { throw .sharesDoNotSumTo100(found: sum) }
  }

  /// Returns a mix of literal shares; traps where the throwing initializer throws.
  package static func shares(
    read: Int = 0, insert: Int = 0, update: Int = 0, remove: Int = 0, iterate: Int = 0
  ) -> OperationMix {
    do {
      return try OperationMix(
        read: read, insert: insert, update: update, remove: remove, iterate: iterate)
    } catch {
      fatalError("invalid operation mix: \(error)")
    }
  }

  private init(unchecked shares: (read: Int, insert: Int, update: Int, remove: Int, iterate: Int)) {
    (read, insert, update, remove, iterate) = shares
  }

  /// Returns the percentage of operations that are of kind `operation`.
  package func share(of operation: OperationKind) -> Int {
    switch operation {
    case .read: read
    case .insert: insert
    case .update: update
    case .remove: remove
    case .iterate: iterate
    }
  }

  /// Returns the operation for `draw`, so that uniform draws follow the shares.
  ///
  /// - Parameter draw: A number from 0 to 99; any other traps.
  package func operation(forDraw draw: Int) -> OperationKind {
    guard (0..<100).contains(draw) else { fatalError("draw must be from 0 to 99, got \(draw)") }
    var bound = 0
    for operation in OperationKind.allCases {
      bound += share(of: operation)
      if draw < bound { return operation }
    }
    fatalError("the shares of \(self) sum to \(bound) instead of 100; report this as a bug")
  }

  /// Returns the weighted mean of `mixes` in whole percentages that sum to 100.
  ///
  /// A share of the result is 0 only if it is 0 in every mix.
  ///
  /// - Parameter mixes: At least one mix with its weight, which must be positive; traps otherwise.
  static func mean(of mixes: [(mix: OperationMix, weight: Int)]) -> OperationMix {
    guard !mixes.isEmpty else {
      fatalError("the mean of no mixes is undefined; pass at least one mix")
    }
    guard (mixes.allSatisfy { $0.weight > 0 }) else {
      fatalError("weights must be positive, got \(mixes.map(\.weight))")
    }
    let total = Double(mixes.reduce(0) { $0 + $1.weight })
    let exact = OperationKind.allCases.map { kind in
      mixes.reduce(0) { $0 + Double($1.mix.share(of: kind) * $1.weight) } / total
    }
    var whole = exact.map { $0 > 0 ? max(1, Int($0)) : 0 }
    while whole.reduce(0, +) != 100 {
      let isTooLittle = whole.reduce(0, +) < 100
      // Adjust the share with the largest error.
      let candidates = whole.indices.filter { isTooLittle ? exact[$0] > 0 : whole[$0] > 1 }
      let errors = candidates.map { (isTooLittle ? 1 : -1) * (exact[$0] - Double(whole[$0])) }
      let place = zip(candidates, errors).max { $0.1 < $1.1 }!.0
      whole[place] += isTooLittle ? 1 : -1
    }
    return .shares(
      read: whole[0], insert: whole[1], update: whole[2], remove: whole[3], iterate: whole[4])
  }
}

/// An operation of a worker; `meaning(for:)` lists the call that it makes on each collection.
///
/// The order of the cases is the order of the shares in texts, tables and CSV columns.
public enum OperationKind: String, CaseIterable, Sendable {
  /// Searches for one element or key.
  case read
  /// Adds an element, or sets the value of a key.
  case insert
  /// Updates a value in place, or compacts a weak collection.
  case update
  /// Removes one element or key.
  case remove
  /// Takes a snapshot, or visits every entry.
  case iterate

  /// Returns the call that a worker makes for this operation, for tables.
  ///
  /// The workload's behavior may replace the call; `Workload.meaning(of:)` considers that.
  ///
  /// | Operation | Weak array | Dictionary | Weak set |
  /// |---|---|---|---|
  /// | read | `contains` | `value(forKey:)` | `contains` |
  /// | insert | `append` | set | `insert` |
  /// | update | `compact` | `update` | `compact` |
  /// | remove | `remove` of an identical object | remove | `remove` |
  /// | iterate | the snapshot `all` | `forEach` | the snapshot `all` |
  package func meaning(for subject: WorkloadSubject) -> String {
    switch subject {
    case .weakArray: weakArrayMeaning
    case .dictionary: dictionaryMeaning
    case .weakSet: weakSetMeaning
    }
  }

  // A worker removes objects that it appended itself. Every removal then finds its object, and
  // equal shares of inserts and removals keep the number of entries constant. If removals drew
  // their objects at random, some would find nothing, and the array would grow.
  private var weakArrayMeaning: String {
    switch self {
    case .read: "`contains` of a drawn object"
    case .insert: "`append` of a drawn object"
    case .update: "`compact`"
    case .remove: "`remove` of the object that this worker appended longest ago"
    case .iterate: "the snapshot `all`"
    }
  }

  private var weakSetMeaning: String {
    switch self {
    case .read: "`contains` of a drawn object"
    case .insert: "`insert` of a drawn object"
    case .update: "`compact`"
    case .remove: "`remove` of a drawn object"
    case .iterate: "the snapshot `all`"
    }
  }

  private var dictionaryMeaning: String {
    switch self {
    case .read: "`value(forKey:)` of a drawn key"
    case .insert: "sets the value of a drawn key"
    case .update: "`update` of a drawn key, adding one"
    case .remove: "removes a drawn key"
    case .iterate: "`forEach` over all entries"
    }
  }
}

extension OperationMix: CustomStringConvertible {
  /// The nonzero shares, in the order of `OperationKind`: `read=95,insert=3,remove=2`.
  ///
  /// `init(parsing:)` restores the same mix.
  public var description: String {
    OperationKind.allCases.filter { share(of: $0) > 0 }
      .map { "\($0.rawValue)=\(share(of: $0))" }
      .joined(separator: ",")
  }

  /// Creates a mix from text such as `read=95,insert=3,remove=2`.
  ///
  /// - Parameter text: `operation=percent` pairs in any order, each operation at most once;
  ///   spaces are ignored.
  /// - Throws: `WorkloadError` if a pair is malformed, an operation is unknown or repeated, or the
  ///   shares do not sum to 100.
  public init(parsing text: String) throws(WorkloadError) {
    guard text.contains(where: { $0 != " " }) else { throw .emptyMix }
    var shares: [OperationKind: Int] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let (operation, share) = try Self.share(parsing: part.filter { $0 != " " })
      guard shares.updateValue(share, forKey: operation) == nil else {
        throw .repeatedOperation(operation)
      }
    }
    try self.init(
      read: shares[.read, default: 0], insert: shares[.insert, default: 0],
      update: shares[.update, default: 0], remove: shares[.remove, default: 0],
      iterate: shares[.iterate, default: 0])
  }

  private static func share(parsing part: String) throws(WorkloadError) -> (OperationKind, Int) {
    let sides = part.split(separator: "=", omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty else { throw .malformedShare(part) }
    guard let operation = OperationKind(rawValue: String(sides[0])) else {
      throw .unknownOperation(String(sides[0]))
    }
    guard let share = Int(sides[1]) else { throw .malformedShare(part) }
    return (operation, share)
  }
}

/// A shuffled table of operations in exactly the proportions of a mix.
///
/// A worker cycles through it, so that the timed part only indexes an array. Because the
/// proportions are exact, a mix with equal shares of inserts and removals does not drift: after
/// each round the collection has the same number of entries as before.
package struct OperationSchedule: Sendable, Equatable {
  /// The default number of operations in a schedule.
  ///
  /// A multiple of 100, so that every share is a whole number of operations; small enough for the
  /// schedule to stay in the first-level cache.
  package static let defaultLength = 3_200

  /// The operations in shuffled order.
  package let operations: [OperationKind]

  /// Creates a schedule by shuffling the operations of `mix`.
  ///
  /// - Parameters:
  ///   - mix: The shares of the operations.
  ///   - seed: The seed of the shuffle; the same seed gives the same order.
  ///   - length: The number of operations, a positive multiple of 100; any other traps.
  package init(mix: OperationMix, seed: Seed, length: Int = defaultLength) {
    guard length > 0 && length.isMultiple(of: 100) else {
      fatalError("length must be a positive multiple of 100, got \(length)")
    }
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
/// Even gaps would be simpler, but independent users do not take turns: workers in step either
/// never meet or always do, and below saturation no queue ever forms. The arrivals of several
/// workers, drawn independently, are together again a Poisson process, at the sum of their rates.
///
/// Schroeder, Wierman and Harchol-Balter, "Open Versus Closed: A Cautionary Tale", NSDI 2006.
package enum PoissonArrivals {
  /// Returns exponential gaps whose mean is exactly 1, for a worker to cycle through.
  ///
  /// - Parameters:
  ///   - count: The number of gaps; traps unless it is positive.
  ///   - seed: The seed; the same seed gives the same gaps.
  package static func gaps(count: Int, seed: Seed) -> [Double] {
    guard count > 0 else { fatalError("count must be positive, got \(count)") }
    var generator = SplitMix64(seed: seed)
    let gaps = (0..<count).map { _ in
      // The draw is above 0 and at most 1, so no gap is infinite.
      -log(Double((generator.next() >> 11) + 1) / 0x1p53)
    }
    let sum = gaps.reduce(0, +)
    // The sum is 0 only if every draw was 1, in practice in a table with a single gap.
    return sum > 0 ? gaps.map { $0 * Double(count) / sum } : gaps.map { _ in 1 }
  }
}

/// The keys present in a dictionary whose workers insert new keys and remove the oldest.
///
/// The window holds one key per entry and slides through a cyclic range twice as long. Its position
/// depends only on the number of draws, so all keys can be drawn before the clock starts. Each
/// worker has its own window, because workers differ in speed; the windows stay close to each
/// other.
public struct SlidingWindow: Hashable, Sendable {
  // Public, like `keysOfScan`: the compiler inlines only public functions of another module, and
  // the timed part calls these.

  /// The number of keys in the window.
  public let size: Int
  /// The percentage of draws that move the window by one key.
  public let insertShare: Int

  /// Creates a window of keys 0 to `size - 1`.
  ///
  /// - Parameters:
  ///   - size: The number of keys in the window; traps unless it is positive.
  ///   - insertShare: The percentage of draws that move the window by one key.
  public init(size: Int, insertShare: Int) {
    guard size > 0 else { fatalError("size must be positive, got \(size)") }
    self.size = size
    self.insertShare = insertShare
  }

  /// The number of distinct keys.
  public var range: Int { 2 * size }

  /// Returns the oldest key in the window, which the next move removes.
  public func oldest(afterDraws draws: Int) -> Int {
    draws * insertShare / 100 % range
  }

  /// Returns the key that the next move inserts.
  public func next(afterDraws draws: Int) -> Int {
    key(size, afterDraws: draws)
  }

  /// Returns the key at position `place` of the window.
  ///
  /// - Parameters:
  ///   - place: A position from 0, the oldest key, to `size - 1`, the newest.
  ///   - draws: The number of draws so far.
  public func key(_ place: Int, afterDraws draws: Int) -> Int {
    (oldest(afterDraws: draws) + place) % range
  }

  /// Returns the key at each drawn position; the window moves as the draws proceed.
  public func keys(atPlaces places: [Int]) -> [Int] {
    places.enumerated().map { draws, place in key(place, afterDraws: draws) }
  }
}
