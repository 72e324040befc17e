import Primitives

/// What a key is looked for by; made once for each operation.
struct Fingerprint<Key: Hashable> {
  /// For keys that fit a word: that word.
  let word: UInt
  /// Before a table mixes its seeds in.
  let hash: UInt

  @inline(__always)
  init(_ key: Key) {
    word = KeyCoding<Key>.fitsWord ? KeyCoding<Key>.word(key) : 0
    // The word of a number is as good as any: the seeds hide it.
    hash = KeyCoding<Key>.isNumber ? word : UInt(bitPattern: key.hashValue)
  }

  /// That of the key of a word in a cell.
  init(ofWord word: UInt) {
    if KeyCoding<Key>.fitsWord {
      self.word = word
      let isNumber = KeyCoding<Key>.isNumber
      hash = isNumber ? word : UInt(bitPattern: KeyCoding<Key>.key(word).hashValue)
    } else {
      self.word = 0
      hash = KeyCoding<Key>.node(word).reading().pointee.hash
    }
  }
}

/// What makes a table's places for keys unpredictable: a folded multiplication by secrets.
///
/// The product of 128 bits is folded into 64. Who knows neither factor cannot choose keys that collide;
/// a table whose probes grow long all the same is replaced by one with other seeds.
struct HashSeeds {
  let addend: UInt
  let factor: UInt

  @inline(__always)
  func mix(_ hash: UInt) -> UInt {
    let product = (hash ^ addend).multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }

  init(addend: UInt, factor: UInt) {
    self.addend = addend
    self.factor = factor | 1
  }

  static func random() -> HashSeeds {
    HashSeeds(addend: Secret.next(), factor: Secret.next())
  }
}
