import Threading

/// The keys and values of a dictionary under trial, by number.
///
/// Every value has a content that says whose it is, see `KeyedValue`.
protocol DictionaryEntries: Sendable {
  associatedtype Key: Hashable & Sendable
  associatedtype Value: Sendable

  /// For the numbers below `range`; the tally counts what is made to be released.
  init(range: Int, tally: Census.Tally)

  /// The same for one worker: what threads would share only by our making is its own.
  func copy(for tally: Census.Tally) -> Self

  func key(_ number: Int) -> Key
  func number(of key: Key) -> Int

  /// What the key of that number is set to.
  func first(_ number: Int) -> Value

  /// `value` with one update more.
  func updated(_ value: Value) -> Value

  static func content(of value: Value) -> Int

  /// A number that takes looking at the key.
  static func trace(of key: Key) -> Int
}

/// A number is its own key.
extension DictionaryEntries where Key == Int {
  @inline(__always)
  func key(_ number: Int) -> Int { number }

  func number(of key: Int) -> Int { key }

  @inline(__always)
  static func trace(of key: Int) -> Int { key }
}

/// A content is its own value.
extension DictionaryEntries where Value == Int {
  @inline(__always)
  func first(_ number: Int) -> Int { KeyedValue.first(for: number) }

  @inline(__always)
  func updated(_ value: Int) -> Int { value + 1 }

  @inline(__always)
  static func content(of value: Int) -> Int { value }
}

/// A content that says whose it is: the key in the upper bits, the number of updates in the lower 40.
enum KeyedValue {
  static func first(for key: Int) -> Int { key << 40 }
  static func key(of value: Int) -> Int { value >> 40 }
  static func updates(in value: Int) -> Int { value & (1 << 40 - 1) }
}
