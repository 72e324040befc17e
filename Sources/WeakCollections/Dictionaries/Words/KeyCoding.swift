import EpochReclamation
import Primitives

/// The encoding of the keys of one type as words; 0 means that there is no key.
///
///     8-byte number       |              64 bits of the key              |
///     smaller trivial key | 1 | zeros |        0 to 56 bits of the key   |
///     any other key       | 1 | 15 bits of the hash | address of a node  |
///
/// The word of the 8-byte number 0 is 0, so this *zero key* has a separate cell or bucket behind
/// the others. An 8-byte type counts as a number only if its equal keys have equal bits: keys of
/// type `Double`, for example, are in nodes. Equal smaller keys may differ in unused bits, so
/// `matches` compares them with `==`, unless they are numbers.
enum KeyCoding<Key: Hashable> {
  /// Whether keys are equal exactly if their words are. The word can then be hashed and compared
  /// instead of the key.
  static var isNumber: Bool {
    @inline(__always) get { isWideNumber || isNarrowNumber }
  }

  /// Whether the keys' `==` and `hash(into:)` may be user code.
  static var runsUserCode: Bool {
    @inline(__always) get { !isNumber && Key.self != String.self }
  }

  /// Runs an operation of `owner` that hashes or compares keys; traps if one of them, or a body
  /// that is running, uses `owner` again.
  ///
  /// No last reference may be released inside: its `deinit` may use `owner`.
  @inline(__always)
  static func guarding<R, F: Error>(
    _ owner: AnyObject, _ body: () throws(F) -> R
  ) throws(F) -> R {
    CriticalSection.checkNotHeld(owner)
    return runsUserCode ? try CriticalSection.hold(owner, body) : try body()
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

  /// Whether keys are stored in the word itself.
  static var fitsWord: Bool {
    @inline(__always) get {
      isNumber
        || MemoryLayout<Key>.size < MemoryLayout<UInt>.size
          && MemoryLayout<Key>.alignment <= MemoryLayout<UInt>.alignment && _isPOD(Key.self)
    }
  }

  /// Whether the word of one key is 0.
  static var hasZeroKey: Bool {
    @inline(__always) get { fitsWord && MemoryLayout<Key>.size == MemoryLayout<UInt>.size }
  }

  /// The bit that is set in the word of a key of fewer than eight bytes.
  private static var mark: UInt { 1 << 63 }

  /// The word of a key whose node was retired.
  static var tombstone: UInt { 1 }

  /// Returns the word of a key that is stored in its word.
  @inline(__always)
  static func word(_ key: Key) -> UInt {
    // A cast leaves the key in its register.
    if hasZeroKey { return unsafeBitCast(key, to: UInt.self) }
    var bits: UInt = 0
    withUnsafeMutablePointer(to: &bits) {
      _ = UnsafeMutableRawPointer($0).initializeMemory(as: Key.self, to: key)
    }
    return bits | mark
  }

  /// Returns the key of a word, which is not the tombstone. It is 0 only for the zero key.
  @inline(__always)
  static func key(_ word: UInt) -> Key {
    if !fitsWord { return node(word).reading().pointee.key }
    if hasZeroKey { return unsafeBitCast(word, to: Key.self) }
    var bits = word ^ mark
    return withUnsafeMutablePointer(to: &bits) {
      UnsafeRawPointer($0).assumingMemoryBound(to: Key.self).pointee
    }
  }

  /// Returns whether `word` is the word of `key`.
  ///
  /// - Parameters:
  ///   - word: The word in a cell.
  ///   - sought: The key's word or, for keys in nodes, its tag.
  ///   - key: The key.
  ///   - hash: The key's hash.
  @inline(__always)
  static func matches(_ word: UInt, _ sought: UInt, _ key: Key, hash: UInt) -> Bool {
    if isNumber { return word == sought }
    if fitsWord { return word != 0 && (word == sought || self.key(word) == key) }
    guard word >> 48 == sought && word > tombstone else { return false }
    let node = node(word).reading()
    return node.pointee.hash == hash && node.pointee.key == key
  }

  /// Returns the upper bits of the word of a key in a node; 0 under a leak detector, which
  /// otherwise would not find the node.
  @inline(__always)
  static func tag(ofMixedHash hash: UInt) -> UInt {
    Sanitizer.detectsLeaks ? 0 : hash & 0x7fff | 0x8000
  }

  /// Returns a word for `key`, with a new node if the key needs one.
  static func make(_ key: Key, _ hashed: HashedKey<Key>, mixedHash: UInt) -> UInt {
    if fitsWord { return hashed.word }
    let node = NodeMemory.allocate(KeyNode<Key>.self)
    node.writing().initialize(to: KeyNode(hash: hashed.hash, key: key))
    let address = UInt(bitPattern: node)
    guard address >> 48 == 0 else { refuse(address: node) }
    return tag(ofMixedHash: mixedHash) << 48 | address
  }

  /// Frees the key of a word that no other thread can see.
  static func destroy(_ word: UInt) {
    if fitsWord || word == 0 || word == tombstone { return }
    KeyNode<Key>.reclaim(node(word))
  }

  /// Whether releasing a key cannot run a `deinit`.
  static var isInert: Bool {
    @inline(__always) get { fitsWord || _isPOD(Key.self) || Key.self == String.self }
  }

  /// Retires the node of a key that was removed, or releases it if it may run user code.
  static func retire(_ word: UInt, in domain: EpochDomain) {
    let node = node(word)
    if isInert {
      domain.retire(node, as: KeyNode<Key>.self, byteCount: MemoryLayout<KeyNode<Key>>.size)
    } else {
      domain.release(node, as: KeyNode<Key>.self)
    }
  }

  @inline(__always)
  static func node(_ word: UInt) -> UnsafeMutablePointer<KeyNode<Key>> {
    UnsafeMutablePointer(bitPattern: word & (1 << 48 - 1)).unsafelyUnwrapped
  }
}

/// A key that is not stored in its word. Immutable.
struct KeyNode<Key: Hashable>: Reclaimable {
  let hash: UInt
  let key: Key

  static func reclaim(_ pointer: UnsafeMutableRawPointer) {
    let node = pointer.assumingMemoryBound(to: KeyNode.self)
    node.writing().deinitialize(count: 1)
    NodeMemory.deallocate(node)
  }
}

/// A hashed key, which is computed once for each operation.
struct HashedKey<Key: Hashable> {
  /// The key's word if the key is stored in it; otherwise 0.
  let word: UInt
  /// The hash, before a table mixes its seeds in.
  let hash: UInt

  @inline(__always)
  init(_ key: Key) {
    word = KeyCoding<Key>.fitsWord ? KeyCoding<Key>.word(key) : 0
    // The word of a number serves as its hash: the seeds hide it.
    hash = KeyCoding<Key>.isNumber ? word : UInt(bitPattern: key.hashValue)
  }

  /// Creates the hashed key of a word in a table.
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

/// The secret seeds of a hash function, which make the places of keys in a table unpredictable.
///
/// The function is the folded multiplication of wyhash: the two halves of the 128-bit product are
/// exclusive-ored. It is fast but not cryptographic. The seeds prevent an attacker who does not
/// know them from simply choosing keys that collide. A `CellTable` whose probes become long
/// nevertheless is replaced by one with other seeds; a `BucketTable` keeps its seeds.
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

/// Traps because a node's address does not fit into a word. Not inlined where nodes are made.
@inline(never)
func refuse(address: UnsafeMutableRawPointer) -> Never {
  fatalError("address \(address) exceeds 48 bits or is no multiple of 8; use a locking backend")
}
