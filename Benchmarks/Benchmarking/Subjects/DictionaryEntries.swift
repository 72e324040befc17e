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

/// Integers to integers: the number is the key, the content the value.
struct IntegerEntries: DictionaryEntries {
  init(range: Int, tally: Census.Tally) {}

  func copy(for tally: Census.Tally) -> IntegerEntries { self }
}

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

  static func subjectFactory(for contestant: Contestant) async throws -> SubjectFactory {
    try await contestant.subjectFactory(on: StringEntries.self)
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

/// Integers to objects.
///
/// What keys are set to exists before the clock starts, one object for each key; an update makes a new
/// one, since an object that several threads hold is not changed.
struct ObjectEntries: DictionaryEntries {
  private let objects: Table<KeyedObject>
  private let tally: Census.Tally

  init(range: Int, tally: Census.Tally) {
    self.tally = tally
    objects = Table((0..<range).map { KeyedObject(KeyedValue.first(for: $0), tally) })
  }

  private init(objects: Table<KeyedObject>, tally: Census.Tally) {
    self.objects = objects
    self.tally = tally
  }

  func copy(for tally: Census.Tally) -> ObjectEntries {
    ObjectEntries(objects: objects, tally: tally)
  }

  static func subjectFactory(for contestant: Contestant) async throws -> SubjectFactory {
    try await contestant.subjectFactory(on: ObjectEntries.self)
  }

  @inline(__always)
  func first(_ number: Int) -> KeyedObject { objects[number] }

  @inline(__always)
  func updated(_ value: KeyedObject) -> KeyedObject { KeyedObject(value.content + 1, tally) }

  @inline(__always)
  static func content(of value: KeyedObject) -> Int { value.content }
}

/// The value of dictionaries with objects; counted when it dies.
final class KeyedObject: Sendable {
  let content: Int
  private let tally: Census.Tally

  init(_ content: Int, _ tally: Census.Tally) {
    self.content = content
    self.tally = tally
    tally.noteBirth()
  }

  deinit {
    tally.noteDeath()
  }
}
