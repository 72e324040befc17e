import Threading

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
