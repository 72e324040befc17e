import EpochReclamation
import Testing

@testable import WeakCollections

/// Where the encodings of keys and values in words have corners, in both dictionaries that use
/// them.
@Suite(.timeLimit(.minutes(10))) struct WordCodingTests {
  private struct Wide: Equatable, Sendable {
    var words = (0, 1, 2)
    init(_ number: Int) { words.0 = number }
    static func == (one: Wide, other: Wide) -> Bool { one.words == other.words }
  }

  /// Sets, finds, replaces, moves, updates and removes each key.
  private func exercise<Key: Hashable, Value: Equatable>(
    _ keys: [Key], _ first: Value, _ second: Value
  ) {
    exercise(
      LockFreeDictionary<Key, Value>(domain: EpochDomain(), leastCapacity: 2), keys, first, second)
    exercise(
      BucketLockDictionary<Key, Value>(domain: EpochDomain(), leastSize: 1), keys, first, second)
  }

  private func exercise<D: SynchronousDictionary>(
    _ dictionary: D, _ keys: [D.Key], _ first: D.Value, _ second: D.Value
  ) where D.Value: Equatable {
    for (number, key) in keys.enumerated() {
      #expect(dictionary.value(forKey: key) == nil)
      dictionary.setValue(first, forKey: key)
      #expect(dictionary.count == number + 1)
    }
    #expect(dictionary.values(forKeys: keys) == keys.map { _ in first })
    for key in keys {
      #expect(dictionary.value(forKey: key) == first)
      dictionary.setValue(second, forKey: key)
      dictionary.update(key) { #expect($0 == second) }
      #expect(dictionary.withValue(forKey: key) { $0 == second } == true)
    }
    #expect(dictionary.snapshot == Dictionary(uniqueKeysWithValues: keys.map { ($0, second) }))
    for key in keys { #expect(dictionary.removeValue(forKey: key) == second) }
    #expect(dictionary.count == 0 && dictionary.snapshot.isEmpty)
  }

  @Test func `every key of eight bytes may be a key, the one with the empty word too`() {
    exercise([Int.min, 0, 1, -1, .max], 1, 2)
    exercise([UInt(1) << 63, 0, .max], 1, 2)
    exercise([UInt64(1) << 63], 1, 2)
  }

  @Test func `keys of other sizes are told apart`() {
    exercise((Int8.min...Int8.max).map { $0 }, 1, 2)
    exercise([false, true], 1, 2)
    exercise([0.0 as Float, 1, -1, .infinity], 1, 2)
    exercise([0.0, 1, -1, .infinity], 1, 2)
    exercise((0..<300).map { "\($0)" }, 1, 2)
    exercise((0..<10).map { Optional($0) } + [nil], 1, 2)
  }

  @Test func `floating-point zeros are one key`() {
    func check<D: SynchronousDictionary<Float, Int>>(_ dictionary: D) {
      dictionary.setValue(1, forKey: 0)
      dictionary.setValue(2, forKey: -0.0)
      #expect(dictionary.snapshot == [0: 2])
    }
    check(LockFreeDictionary<Float, Int>())
    check(BucketLockDictionary<Float, Int>())
  }

  @Test func `every value of eight bytes may be a value, those that look like a pointer too`() {
    let escape = Int(bitPattern: ValueWord.escape)
    for value in [0, 1, -1, .min, .max, escape, escape + 4, escape + 0x7fff_0000_1234] {
      exercise(Array(0..<20), value, value &+ 1)
      exercise(["a", "b", "c"], value, 0)
    }
  }

  @Test func `every bit pattern of a pointer may be a value, nil and unaligned ones too`() {
    let escape = ValueWord.escape
    let patterns: [UInt] = [
      0, 1, 7, 8, 0x7fff_0000_1230, 0x7fff_0000_1237, 1 << 48, (1 << 48) + 8, .max, .max - 7,
      escape,
      escape + 4, escape + 7, escape + 8, escape + 0x7fff_0000_1230,
    ]
    for pattern in patterns {
      let pointer = UnsafeRawPointer(bitPattern: pattern)
      exercise(Array(0..<20), pointer, UnsafeRawPointer(bitPattern: pattern &+ 8))
      exercise(["a", "b", "c"], pointer, nil)
    }
  }

  @Test func `values of other sizes are values`() {
    exercise([1, 2, 3], true, false)
    exercise([1, 2, 3], "short", "too long to stand in a string's own words")
    exercise([1, 2, 3], [1], [2, 3])
    exercise([1, 2, 3], Wide(1), Wide(2))
    exercise([1, 2, 3], Optional<Int>.none, 1)
    exercise([1, 2, 3], Optional<[Int]>.none, [1])
  }
}
