import Threading

/// The keys and values of a dictionary under trial, by number.
///
/// Every value has a content that identifies its key; see `KeyedValue`.
protocol DictionaryEntries: Sendable {
  associatedtype Key: Hashable & Sendable
  associatedtype Value: Sendable

  /// Creates entries for the numbers below `range`; `tally` counts the objects that have to die.
  init(range: Int, tally: LifetimeCounter.Tally)

  /// Returns a copy for one worker, without memory that only the benchmark would share.
  func copy(for tally: LifetimeCounter.Tally) -> Self

  func key(_ number: Int) -> Key
  func number(of key: Key) -> Int

  /// Returns the first value of the key with the given number.
  func first(_ number: Int) -> Value

  /// Returns `value` with one more update.
  func updated(_ value: Value) -> Value

  static func content(of value: Value) -> Int

  /// Returns a number that depends on the key, so that the caller has to access it.
  static func trace(of key: Key) -> Int
}

/// Integer keys: the number is the key.
extension DictionaryEntries where Key == Int {
  @inline(__always)
  func key(_ number: Int) -> Int { number }

  func number(of key: Int) -> Int { key }

  @inline(__always)
  static func trace(of key: Int) -> Int { key }
}

/// Integer values: the content is the value.
extension DictionaryEntries where Value == Int {
  @inline(__always)
  func first(_ number: Int) -> Int { KeyedValue.first(for: number) }

  @inline(__always)
  func updated(_ value: Int) -> Int { value + 1 }

  @inline(__always)
  static func content(of value: Int) -> Int { value }
}

/// The content of a value: its key in the upper bits, the number of updates in the lower 40.
enum KeyedValue {
  static func first(for key: Int) -> Int { key << 40 }
  static func key(of value: Int) -> Int { value >> 40 }
  static func updates(in value: Int) -> Int { value & (1 << 40 - 1) }
}

/// Integers to integers: the number is the key, the content the value.
struct IntegerEntries: DictionaryEntries {
  init(range: Int, tally: LifetimeCounter.Tally) {}

  func copy(for tally: LifetimeCounter.Tally) -> IntegerEntries { self }
}

/// Strings to integers.
///
/// Every worker has its own strings. A program seldom looks up a key by the same string object that
/// it inserted, and threads that share a string contend for its reference count.
struct StringEntries: DictionaryEntries {
  private let keys: Table<String>

  init(range: Int, tally: LifetimeCounter.Tally) {
    keys = Table((0..<range).map(Self.text))
  }

  func copy(for tally: LifetimeCounter.Tally) -> StringEntries {
    StringEntries(range: keys.count, tally: tally)
  }

  static func subjectFactory(for contestant: Contestant) async throws -> SubjectFactory {
    try await contestant.subjectFactory(on: StringEntries.self)
  }

  @inline(__always)
  func key(_ number: Int) -> String { keys[number] }

  /// Returns the number of `key`, or -1 if it is not a key.
  func number(of key: String) -> Int { Int(key.dropFirst(Self.prefix.count)) ?? -1 }

  @inline(__always)
  static func trace(of key: String) -> Int { key.utf8.count }

  private static let prefix = "user"

  /// Returns a key as in YCSB: 23 bytes, more than fit inline, and most of them equal in all keys.
  private static func text(of number: Int) -> String {
    let digits = String(number)
    return prefix + String(repeating: "0", count: 19 - digits.count) + digits
  }
}

/// Integers to objects.
///
/// One object per key exists before the clock starts. An update creates a new object, because
/// objects that several threads share are immutable.
struct ObjectEntries: DictionaryEntries {
  private let objects: Table<KeyedObject>
  private let tally: LifetimeCounter.Tally

  init(range: Int, tally: LifetimeCounter.Tally) {
    self.tally = tally
    objects = Table((0..<range).map { KeyedObject(KeyedValue.first(for: $0), tally) })
  }

  private init(objects: Table<KeyedObject>, tally: LifetimeCounter.Tally) {
    self.objects = objects
    self.tally = tally
  }

  func copy(for tally: LifetimeCounter.Tally) -> ObjectEntries {
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

/// Strings to objects.
struct StringObjectEntries: DictionaryEntries {
  private let strings: StringEntries
  private let objects: ObjectEntries

  init(range: Int, tally: LifetimeCounter.Tally) {
    self.init(
      strings: StringEntries(range: range, tally: tally),
      objects: ObjectEntries(range: range, tally: tally))
  }

  private init(strings: StringEntries, objects: ObjectEntries) {
    self.strings = strings
    self.objects = objects
  }

  func copy(for tally: LifetimeCounter.Tally) -> StringObjectEntries {
    StringObjectEntries(strings: strings.copy(for: tally), objects: objects.copy(for: tally))
  }

  static func subjectFactory(for contestant: Contestant) async throws -> SubjectFactory {
    try await contestant.subjectFactory(on: StringObjectEntries.self)
  }

  @inline(__always)
  func key(_ number: Int) -> String { strings.key(number) }

  func number(of key: String) -> Int { strings.number(of: key) }

  @inline(__always)
  static func trace(of key: String) -> Int { StringEntries.trace(of: key) }

  @inline(__always)
  func first(_ number: Int) -> KeyedObject { objects.first(number) }

  @inline(__always)
  func updated(_ value: KeyedObject) -> KeyedObject { objects.updated(value) }

  @inline(__always)
  static func content(of value: KeyedObject) -> Int { value.content }
}

/// The value of a dictionary with objects; it reports its birth and death to a lifetime counter.
final class KeyedObject: Sendable {
  let content: Int
  private let tally: LifetimeCounter.Tally

  init(_ content: Int, _ tally: LifetimeCounter.Tally) {
    self.content = content
    self.tally = tally
    tally.noteBirth()
  }

  deinit {
    tally.noteDeath()
  }
}
