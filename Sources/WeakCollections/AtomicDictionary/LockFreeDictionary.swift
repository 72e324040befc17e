// A hash table whose buckets are chains of immutable nodes. A write makes a new chain, sharing what it
// can, and exchanges the bucket's head; a read walks the chain it finds. To change the number of
// buckets, the table is replaced as a whole: every bucket is frozen, so that no write can enter it any
// more; its nodes are copied into a new table; and the root is exchanged. A writer that finds a frozen
// bucket does all of this itself, so a stopped thread stops nobody.
//
// `update` claims its key: it exchanges the key's node for a claimed one, runs its body outside every
// pin, and exchanges the claimed node for the result. Readers see the old value meanwhile; other writers
// of the key wait for the claim to go; writers of other keys do not.
//
// Invariants:
//  1. Nodes and frozen buckets never change. A table that is not the current one has frozen buckets.
//  2. A key is in at most one node of a table, in the bucket of its hash.
//  3. A node belongs to the one chain owner that reaches it: the current table's bucket or, once
//     replaced, limbo. Of those who replace one table, one wins; it alone retires the old one.
//  4. A claimed node is exchanged by the thread that claimed it and nobody else (copies made for a new
//     chain or table stay claimed); so a body runs once, with nobody else changing its key.
//
// Linearization. A write: its exchange of the bucket. A read: its load of the bucket; if the table is no
// longer current, the bucket is frozen, and the read takes effect just before the table was replaced,
// which was after the read loaded the root. A write after that went into the new table, later.
//
// Progress: reads are wait-free in the length of the chain; writes are lock-free but for keys that are
// claimed; `update` is not.

import EpochReclamation
import Primitives

/// The dictionary that no stopped thread can stop: lock-free but for `update`, with epoch reclamation.
///
/// A value that is replaced or removed is released when the epoch allows, see `EpochDomain`; keys and
/// values are copied, which for references means retained, when their neighbours in a chain change.
public final class LockFreeDictionary<Key: Hashable, Value>: SynchronousDictionary {
  typealias Table = BucketTable<Key, Value>
  typealias Node = ChainNode<Key, Value>

  let domain: EpochDomain
  let root: Atomic<UnsafeMutableRawPointer>
  /// The number of nodes with a value; keeps up with the buckets, but is not changed together with them.
  let valueCount = Atomic<Int>(0)
  /// Counts claims that have ended.
  let endedClaims = EventCounter()

  static var leastBucketCount: Int { 8 }

  public convenience init() {
    self.init(domain: .shared)
  }

  /// A dictionary whose memory is reclaimed by `domain`.
  public init(domain: EpochDomain) {
    self.domain = domain
    root = Atomic(Table(bucketCount: Self.leastBucketCount).memory)
  }

  deinit {
    noteLastRelease(of: self)
    // Nobody else has the dictionary any more: its last release ordered everything before this.
    current.destroy()
  }

  public func value(forKey key: Key) -> Value? {
    let hash = key.hashValue
    return domain.pin {
      let bucket = current.bucket(forHash: hash).pointee.load()
      return Node.find(key, hash: hash, from: bucket.first)?.pointee.value
    }
  }

  public func setValue(_ value: Value, forKey key: Key) {
    Exclusion.checkNotHeld(self)
    let node = Node.make(key, hash: key.hashValue, value: value)
    change(key, hash: node.pointee.hash) {
      $0.isClaimed && !Defect.claimIgnored.isPlanted ? .wait : .exchange(for: node, ())
    }
  }

  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    Exclusion.checkNotHeld(self)
    return change(key, hash: key.hashValue) { present in
      if present.isClaimed { return .wait }
      guard let value = present.value else { return .leave(nil) }
      return .exchange(for: nil, value)
    }
  }

  public func value(forKey key: Key, orInsert makeValue: () -> Value) -> Value {
    Exclusion.checkNotHeld(self)
    if let present = value(forKey: key) { return present }
    let made = makeValue()
    let node = Node.make(key, hash: key.hashValue, value: made)
    let (value, isOurs) = change(key, hash: node.pointee.hash) { present in
      if let value = present.value { return .leave((value, false)) }
      return present.isClaimed ? .wait : .exchange(for: node, (made, true))
    }
    if !isOurs || Defect.winnersNodeDestroyed.isPlanted { Node.destroy(node) }
    return value
  }

  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    Exclusion.checkNotHeld(self)
    let hash = key.hashValue
    var old: Value?
    var new: Value?
    var unused: [Node.Pointer] = []
    // Held from before the claim, so that no reclaimer runs while this thread has one.
    let result = Exclusion.hold(self) {
      old = claim(key, hash: hash, unused: &unused)
      new = old
      if Defect.bodyRunsTwice.isPlanted { _ = Result { () throws(F) in try body(&new) } }
      let result = Result { () throws(F) in try body(&new) }
      if case .success = result {
        endClaim(key, hash: hash, value: new)
      } else {
        endClaim(key, hash: hash, value: old)
      }
      return result
    }
    for node in unused { Node.destroy(node) }
    return try withExtendedLifetime((old, new)) { () throws(F) in try result.get() }
  }

  public var count: Int {
    // Relaxed: exact when nobody writes, which some other order must have established.
    max(0, valueCount.load(ordering: .relaxed))
  }

  public var snapshot: [Key: Value] {
    var pairs: [(Key, Value)] = []
    domain.pin {
      current.forEachNode { node in
        if let value = node.pointee.value { pairs.append((node.pointee.key, value)) }
      }
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// Removes the keys one by one; keys set meanwhile may stay.
  public func removeAll() {
    Exclusion.checkNotHeld(self)
    for key in snapshot.keys { removeValue(forKey: key) }
  }
}

// @unchecked: what threads share is atomic or immutable; keys and values are shared only if they may be.
extension LockFreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
