/// Of which instances a monitor notes when, where and by whom they were made, for its reports to list.
///
/// All are counted, whatever this says. Most of what a record costs is its backtrace, of which the first of each
/// thread reads the program's symbols: the longer, the larger its files are. `MemoryLeakMonitor.cost` says what
/// it came to. Of a class at most 64 objects that were validated are recorded at a time, those that died unseen
/// included.
public struct Sampling: Sendable, Equatable {
  /// One in so many; 0 for none.
  public let interval: Int
  /// How many in a second at most; beyond, instances are only counted. Nil for any number.
  public let cap: Int?

  /// Traps if `interval` or `cap` is negative or above 2³¹.
  ///
  /// A backtrace follows frame pointers, which all Swift code has. Code in other languages that calls
  /// Swift back and was compiled to use that register otherwise may crash it: there, sample none.
  public init(oneIn interval: Int, cap: Int? = 1000) {
    precondition(
      0...Self.limit ~= interval && 0...Self.limit ~= cap ?? 0,
      "expected an interval and a cap from 0 to 2^31 for sampling")
    self.interval = interval
    self.cap = cap
  }

  /// Every instance, up to a thousand a second.
  public static let all = Sampling(oneIn: 1)
  /// No instance.
  public static let none = Sampling(oneIn: 0)

  /// Every instance in debug builds and in tests, none elsewhere.
  public static var standard: Sampling {
    #if DEBUG
      .all
    #else
      TestFailures.isTesting ? .all : .none
    #endif
  }

  static let limit = 1 << 31
}
