import CShims
import EpochReclamation

extension ValueCoding {
  /// How many keys are on their way from memory at once; about as many misses as a core can have open.
  private static var batch: Int { 16 }

  /// The values for `keys`, by their index, all under one pin.
  ///
  /// What `place` says of the keys of a batch, where a look for them begins, is asked for before `word`
  /// looks for the first of them, so that their ways from memory overlap.
  @inline(__always)
  static func values<Key: Hashable>(
    forKeys keys: [Key], in domain: EpochDomain,
    place: (Fingerprint<Key>) -> UnsafeRawPointer,
    word: (Key, Fingerprint<Key>) -> ValueWord
  ) -> [Value?] {
    [Value?](capacity: keys.count) { values, count in
      domain.pin {
        for begin in stride(from: 0, to: keys.count, by: batch) {
          let end = min(begin + batch, keys.count)
          look(up: keys[begin..<end], into: values, place, word)
        }
      }
      count = keys.count
    }
  }

  @inline(__always)
  private static func look<Key: Hashable>(
    up keys: ArraySlice<Key>, into values: UnsafeMutablePointer<Value?>,
    _ place: (Fingerprint<Key>) -> UnsafeRawPointer,
    _ word: (Key, Fingerprint<Key>) -> ValueWord
  ) {
    withUnsafeTemporaryAllocation(of: Fingerprint<Key>.self, capacity: batch) { prints in
      for index in keys.indices {
        let print = Fingerprint(keys[index])
        prints[index - keys.startIndex] = print
        cws_prefetch(place(print))
      }
      for index in keys.indices {
        let word = word(keys[index], prints[index - keys.startIndex])
        (values + index).initialize(to: copy(word))
      }
    }
  }
}
