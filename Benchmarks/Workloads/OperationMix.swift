import Foundation
import SeededRandom

/// The shares of operations, in whole percent that sum to exactly 100.
public struct OperationMix: Codable, Hashable, Sendable {
  public let read: Int
  public let insert: Int
  public let update: Int
  public let remove: Int
  public let iterate: Int

  /// Checks that each share is from 0 to 100 and that they sum to 100.
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

  /// A mix from literals; traps where the throwing initializer throws.
  static func shares(
    read: Int = 0, insert: Int = 0, update: Int = 0, remove: Int = 0, iterate: Int = 0
  ) -> OperationMix {
    do {
      return try OperationMix(
        read: read, insert: insert, update: update, remove: remove, iterate: iterate)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private init(unchecked shares: (read: Int, insert: Int, update: Int, remove: Int, iterate: Int)) {
    (read, insert, update, remove, iterate) = shares
  }

  /// The percentage of all operations that are of this kind.
  public func share(of operation: OperationKind) -> Int {
    switch operation {
    case .read: read
    case .insert: insert
    case .update: update
    case .remove: remove
    case .iterate: iterate
    }
  }

  /// The operation that a number drawn uniformly from 0 to 99 stands for.
  public func operation(forDraw draw: Int) -> OperationKind {
    precondition((0..<100).contains(draw), "a draw is from 0 to 99")
    var bound = 0
    for operation in OperationKind.allCases {
      bound += share(of: operation)
      if draw < bound { return operation }
    }
    fatalError("the shares sum to 100")
  }

  /// The mean of several mixes in whole percents, which sum to 100; a share is 0 only if it is in all.
  ///
  /// - Precondition: there is at least one, and weights are positive.
  static func mean(of mixes: [(mix: OperationMix, weight: Int)]) -> OperationMix {
    precondition(!mixes.isEmpty && mixes.allSatisfy { $0.weight > 0 }, "weights are positive")
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

/// An operation of a worker. The collection determines the calls that it makes.
///
/// The order of the cases is the order of the shares in texts, tables and CSV columns.
public enum OperationKind: String, CaseIterable, Sendable {
  case read
  case insert
  case update
  case remove
  case iterate

  /// What a worker calls for this operation unless the workload's behaviour says otherwise.
  ///
  /// | Operation | Weak array | Dictionary | Weak set |
  /// |---|---|---|---|
  /// | read | `contains` | `value(forKey:)` | `contains` |
  /// | insert | `append` | set | `insert` |
  /// | update | `compact` | `update` | `compact` |
  /// | remove | `remove` of an identical object | remove | `remove` |
  /// | iterate | the snapshot `all` | `forEach` | the snapshot `all` |
  public func meaning(for subject: WorkloadSubject) -> String {
    switch subject {
    case .weakArray: weakArrayMeaning
    case .dictionary: dictionaryMeaning
    case .weakSet: weakSetMeaning
    }
  }

  // A worker removes what it appended itself: a removal then always finds its object, and equal
  // shares of inserts and removals keep the number of entries where it was. With objects drawn at
  // random some removals would find nothing, and the array would grow.
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
  /// The shares that are not 0, in the order of `OperationKind`: `read=95,insert=3,remove=2`.
  ///
  /// Parsing it gives the same mix.
  public var description: String {
    OperationKind.allCases.filter { share(of: $0) > 0 }
      .map { "\($0.rawValue)=\(share(of: $0))" }
      .joined(separator: ",")
  }

  /// Reads `read=95,insert=3,remove=2`: any order, each operation at most once, spaces ignored.
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
