import Threading

/// Strings to integers.
///
/// Every worker has strings of its own: a program seldom looks a key up by the very string that was
/// inserted, and threads that count references to one string would wait for each other at that.
struct StringEntries: DictionaryEntries {
  private let keys: Table<String>

  init(range: Int, tally: Census.Tally) {
    keys = Table((0..<range).map(Self.text))
  }

  func copy(for tally: Census.Tally) -> StringEntries {
    StringEntries(range: keys.count, tally: tally)
  }

  @inline(__always)
  func key(_ number: Int) -> String { keys[number] }

  /// -1 for a string that is no key.
  func number(of key: String) -> Int { Int(key.dropFirst(Self.prefix.count)) ?? -1 }

  @inline(__always)
  static func trace(of key: String) -> Int { key.utf8.count }

  private static let prefix = "user"

  /// 23 bytes, more than fit into a string itself, and most of them the same in all keys, as YCSB's.
  private static func text(of number: Int) -> String {
    let digits = String(number)
    return prefix + String(repeating: "0", count: 19 - digits.count) + digits
  }
}
