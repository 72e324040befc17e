// What the searches over threads and over tasks share: the seeds of executions, and the path of a
// depth-first search.

extension Exploration {
  /// Returns the seed of an execution.
  ///
  /// - Parameters:
  ///   - number: The number of the execution. An exhaustive search passes 0 for all executions,
  ///     because it must repeat one scenario.
  ///   - seed: The seed of the exploration.
  static func seed(ofExecution number: UInt64, in seed: UInt64) -> UInt64 {
    mix(seed &+ mix(number &+ 0x632b_e59b_d9b4_e019))
  }

  // The mixing function of SplitMix64 (Steele, Lea and Flood, 2014).
  @inline(__always)
  static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Whether the strategy needs the number of decisions of an execution.
  var needsMeasuring: Bool {
    switch strategy {
    case .randomWalk: suspendsOneThread
    case .probabilisticConcurrency: true
    case .depthFirst, .dynamicPartialOrderReduction, .replay: false
    }
  }
}

/// A choice of a depth-first search: the index taken, and the number of alternatives.
struct Choice {
  var taken: UInt16
  var count: UInt16
}

/// The choices of a stateless depth-first search.
///
/// Each execution repeats the choices of the previous one up to the last choice with an untried
/// alternative. It takes that alternative, and the first one at every later choice. The path is
/// the memory of the choices; its owner keeps the length.
struct ChoicePath {
  private let choices: UnsafeMutablePointer<Choice>

  /// Creates a path in memory for as many choices as an execution can take.
  init(_ choices: UnsafeMutablePointer<Choice>) {
    self.choices = choices
  }

  /// Returns the index of the alternative to take; `nil` if an earlier execution had another
  /// number of alternatives here, because the scenario is not deterministic.
  @inline(__always)
  func choice(at depth: Int, among count: Int, length: inout Int) -> UInt16? {
    if depth == length {
      choices[depth] = Choice(taken: 0, count: UInt16(count))
      length = depth + 1
    }
    return Int(choices[depth].count) == count ? choices[depth].taken : nil
  }

  /// Prepares the next execution; returns false if there is none.
  func advance(length: inout Int) -> Bool {
    while length > 0 {
      let last = choices + length - 1
      if last.pointee.taken + 1 < last.pointee.count {
        last.pointee.taken += 1
        return true
      }
      length -= 1
    }
    return false
  }
}
