import EpochReclamation
import Primitives

/// How keys of one type are put into words; 0 is no key.
///
/// Trivial keys of up to eight bytes stand for themselves, exclusive-or a constant. A type of fewer than
/// eight bytes never comes out as 0. One of eight bytes does for one key, which has a cell of its own
/// behind the others; this needs keys that are equal as bits when they are equal, so that only types
/// known to be so are taken. Every other key is in a node: a pointer, and bits of the hash above it.
enum KeyCoding<Key: Hashable> {
  /// Whether the word tells keys apart, and is fit to be hashed.
  static var isNumber: Bool {
    @inline(__always) get { isWideNumber || isNarrowNumber }
  }

  private static var isWideNumber: Bool {
    @inline(__always) get {
      Key.self == Int.self || Key.self == UInt.self || Key.self == Int64.self
        || Key.self == UInt64.self || Key.self == ObjectIdentifier.self
        || Key.self == UnsafeRawPointer.self || Key.self == UnsafeMutableRawPointer.self
    }
  }

  private static var isNarrowNumber: Bool {
    @inline(__always) get {
      Key.self == Int32.self || Key.self == UInt32.self || Key.self == Int16.self
        || Key.self == UInt16.self || Key.self == Int8.self || Key.self == UInt8.self
    }
  }

  /// Whether keys stand in the word itself.
  static var fitsWord: Bool {
    @inline(__always) get {
      isNumber
        || MemoryLayout<Key>.size < MemoryLayout<UInt>.size
          && MemoryLayout<Key>.alignment <= MemoryLayout<UInt>.alignment && _isPOD(Key.self)
    }
  }

  /// Whether one key's word is 0.
  static var hasZeroKey: Bool {
    @inline(__always) get { fitsWord && MemoryLayout<Key>.size == MemoryLayout<UInt>.size }
  }

  /// What 0 is instead: the least `Int`.
  private static var mark: UInt { 1 << 63 }

  /// The word of a key whose node was let go.
  static var dead: UInt { 1 }

  /// The word of a key that fits one.
  @inline(__always)
  static func word(_ key: Key) -> UInt {
    // A cast leaves the key in its register.
    if hasZeroKey { return unsafeBitCast(key, to: UInt.self) ^ mark }
    var bits: UInt = 0
    withUnsafeMutablePointer(to: &bits) {
      _ = UnsafeMutableRawPointer($0).initializeMemory(as: Key.self, to: key)
    }
    return bits ^ mark
  }

  /// The key of a word that is not `dead`, nor 0 unless of the zero key.
  @inline(__always)
  static func key(_ word: UInt) -> Key {
    if !fitsWord { return node(word).reading().pointee.key }
    if hasZeroKey { return unsafeBitCast(word ^ mark, to: Key.self) }
    var bits = word ^ mark
    return withUnsafeMutablePointer(to: &bits) {
      UnsafeRawPointer($0).assumingMemoryBound(to: Key.self).pointee
    }
  }

  /// Whether `word` is of `key`; `sought` is the key's word or, for keys in nodes, its tag.
  @inline(__always)
  static func matches(_ word: UInt, _ sought: UInt, _ key: Key, hash: UInt) -> Bool {
    if isNumber { return word == sought }
    if fitsWord { return word != 0 && (word == sought || self.key(word) == key) }
    guard word >> 48 == sought && word > dead else { return false }
    let node = node(word).reading()
    return node.pointee.hash == hash && node.pointee.key == key
  }

  /// The upper bits of the word of a key in a node: none where leaks are looked for, as the node would not
  /// be found under them.
  @inline(__always)
  static func tag(ofMixedHash hash: UInt) -> UInt {
    Sanitizer.detectsLeaks ? 0 : hash >> 48 | 0x8000
  }

  /// A word for `key`, in a new node if need be.
  static func make(_ key: Key, _ print: Fingerprint<Key>, mixedHash: UInt) -> UInt {
    if fitsWord { return print.word }
    let node = NodeMemory.allocate(KeyNode<Key>.self)
    node.writing().initialize(to: KeyNode(hash: print.hash, key: key))
    let address = UInt(bitPattern: node)
    precondition(address >> 48 == 0, "a pointer has 48 bits")
    return tag(ofMixedHash: mixedHash) << 48 | address
  }

  /// Gives up a word that nobody can see.
  static func destroy(_ word: UInt) {
    if fitsWord || word == 0 || word == dead { return }
    KeyNode<Key>.reclaim(node(word))
  }

  static func retire(_ word: UInt, in domain: EpochDomain) {
    if Defect.keyNodeFreedAtOnce.isPlanted { return destroy(word) }
    domain.retire(node(word), as: KeyNode<Key>.self)
  }

  @inline(__always)
  static func node(_ word: UInt) -> UnsafeMutablePointer<KeyNode<Key>> {
    UnsafeMutablePointer(bitPattern: word & (1 << 48 - 1)).unsafelyUnwrapped
  }
}

/// A key that does not fit a word; never changes.
struct KeyNode<Key: Hashable>: Reclaimable {
  let hash: UInt
  let key: Key

  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    let node = pointer.assumingMemoryBound(to: KeyNode.self)
    node.writing().deinitialize(count: 1)
    NodeMemory.deallocate(node)
  }
}

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
