import Primitives

extension BucketTable {
  /// Where a key belongs in a table.
  struct Probe {
    let bucket: Bucket
    /// The word of a key that fits one, or a key's tag.
    let sought: UInt
  }

  @inline(__always)
  func probe(_ print: Fingerprint<Key>) -> Probe {
    if KeyCoding<Key>.hasZeroKey && print.word == 0 {
      // In its bucket, which no other key gets into, the zero key is 1.
      return Probe(bucket: bucket(size), sought: 1)
    }
    let mixed = head.pointee.seeds.mix(print.hash)
    let sought = KeyCoding<Key>.fitsWord ? print.word : KeyCoding<Key>.tag(ofMixedHash: mixed)
    return Probe(bucket: bucket(Int(bitPattern: mixed & head.pointee.mask)), sought: sought)
  }

  /// The word for a key that is put into the bucket of `probe`.
  func word(for key: Key, _ print: Fingerprint<Key>, _ probe: Probe) -> UInt {
    if KeyCoding<Key>.fitsWord { return probe.sought }
    return KeyCoding<Key>.make(key, print, mixedHash: head.pointee.seeds.mix(print.hash))
  }

  /// What the key of a word is looked for by; `index` is that of its first bucket.
  func print(ofWord word: UInt, in index: Int) -> Fingerprint<Key> {
    Fingerprint(ofWord: index == size ? 0 : word)
  }

  /// The key of a word; `index` is that of its first bucket.
  func key(ofWord word: UInt, in index: Int) -> Key {
    KeyCoding<Key>.key(index == size ? 0 : word)
  }

  /// The slot of a key in one bucket, not in those behind it.
  @inline(__always)
  static func slot(
    of key: Key, _ print: Fingerprint<Key>, _ sought: UInt, in bucket: Bucket
  ) -> Int? {
    if KeyCoding<Key>.isNumber {
      // Which slot has the key is random: no branch that would be predicted wrongly.
      let slot = bucket.key(1) == sought ? 1 : bucket.key(2) == sought ? 2 : 0
      return bucket.key(slot) == sought ? slot : nil
    }
    for slot in 0..<Bucket.slotCount {
      if KeyCoding<Key>.matches(bucket.key(slot), sought, key, hash: print.hash) { return slot }
    }
    return nil
  }

  /// A slot of a bucket or of one behind it.
  struct Place {
    let bucket: Bucket
    let slot: Int
    let hasKey: Bool
  }

  /// Where a key is, or a free slot for it; for whoever has the lock.
  @inline(__always)
  func place(of key: Key, _ print: Fingerprint<Key>, _ probe: Probe) -> Place {
    if let slot = Self.slot(of: key, print, probe.sought, in: probe.bucket) {
      return Place(bucket: probe.bucket, slot: slot, hasKey: true)
    }
    return placeBehind(key, print, probe)
  }

  @inline(never)
  private func placeBehind(_ key: Key, _ print: Fingerprint<Key>, _ probe: Probe) -> Place {
    var rest = probe.bucket.next
    while let bucket = rest {
      if let slot = Self.slot(of: key, print, probe.sought, in: bucket) {
        return Place(bucket: bucket, slot: slot, hasKey: true)
      }
      rest = bucket.next
    }
    return Self.freePlace(in: probe.bucket)
  }

  /// A free slot of `bucket` or of one behind it; there will be one.
  static func freePlace(in bucket: Bucket) -> Place {
    var bucket = bucket
    while true {
      for slot in 0..<Bucket.slotCount where bucket.key(slot) == 0 {
        return Place(bucket: bucket, slot: slot, hasKey: false)
      }
      if let next = bucket.next {
        bucket = next
      } else {
        let made = Bucket.make()
        bucket.append(made)
        return Place(bucket: made, slot: 0, hasKey: false)
      }
    }
  }
}
