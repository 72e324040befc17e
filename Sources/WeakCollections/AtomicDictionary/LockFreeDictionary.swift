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

  private let domain: EpochDomain
  private let root: Atomic<UnsafeMutableRawPointer>
  /// The number of nodes with a value; keeps up with the buckets, but is not changed together with them.
  private let valueCount = Atomic<Int>(0)
  /// Counts claims that have ended.
  private let endedClaims = EventCounter()

  private static var leastBucketCount: Int { 8 }

  public convenience init() {
    self.init(domain: .shared)
  }

  /// A dictionary whose memory is reclaimed by `domain`.
  public init(domain: EpochDomain) {
    self.domain = domain
    root = Atomic(Table(bucketCount: Self.leastBucketCount).memory)
  }

  deinit {
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
    change(key, hash: node.pointee.hash) { $0.isClaimed ? .wait : .exchange(for: node, ()) }
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
    if !isOurs { Node.destroy(node) }
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

// MARK: Changing one key

extension LockFreeDictionary {
  /// What the current chain says of a key.
  private struct Present {
    let value: Value?
    let isClaimed: Bool
  }

  private enum Decision<R> {
    /// The chain stays.
    case leave(R)
    /// The key's node is exchanged; nil removes it.
    case exchange(for: Node.Pointer?, R)
    /// Another thread's claim must end first.
    case wait
  }

  /// Applies `decide` to the present state of `key`, again whenever that changed meanwhile.
  private func change<R>(_ key: Key, hash: Int, _ decide: (Present) -> Decision<R>) -> R {
    while true {
      let ticket = endedClaims.ticket()
      if let result = domain.pin({ changeOrWait(key, hash: hash, decide) }) { return result }
      endedClaims.wait(for: ticket)
    }
  }

  /// nil when a claim must end first.
  private func changeOrWait<R>(_ key: Key, hash: Int, _ decide: (Present) -> Decision<R>) -> R? {
    while true {
      let table = current
      let bucket = table.bucket(forHash: hash)
      let state = bucket.pointee.load()
      if state.isFrozen {
        replace(table)
        continue
      }
      let node = Node.find(key, hash: hash, from: state.first)
      let isClaimed = node?.pointee.isClaimed ?? false
      switch decide(Present(value: node?.pointee.value, isClaimed: isClaimed)) {
      case .leave(let result):
        return result
      case .wait:
        return nil
      case .exchange(let replacement, let result):
        if exchange(node, for: replacement, in: bucket, state) {
          resizeIfNeeded(table)
          return result
        }
      }
    }
  }

  /// Exchanges the bucket's chain for one in which `replacement` stands for `old`.
  private func exchange(
    _ old: Node.Pointer?, for replacement: Node.Pointer?,
    in bucket: UnsafeMutablePointer<Table.Bucket>, _ state: Table.Bucket.State
  ) -> Bool {
    let chain = Node.chain(from: state.first, replacing: old, by: replacement)
    HaltPoint.betweenAtomics.reach()
    guard bucket.pointee.exchange(state, for: chain) else {
      CurrentThread.noteFailedExchange()
      // The copies in front. Their originals are protected by our pin, so none holds a last reference.
      Node.destroy(from: chain, upTo: replacement ?? old?.pointee.next)
      return false
    }
    let change = (replacement?.pointee.value == nil ? 0 : 1) - (old?.pointee.value == nil ? 0 : 1)
    // Relaxed: a count, through which nothing else is read.
    if change != 0 { valueCount.wrappingAdd(change, ordering: .relaxed) }
    if let old {
      Node.forEach(from: state.first, upTo: old) { domain.retire($0, as: Node.self) }
      domain.retire(old, as: Node.self)
    }
    return true
  }

  /// Marks `key` as ours to change; returns its value.
  ///
  /// A node of an attempt that failed may hold the last reference to a value that is no longer there, so
  /// it goes to `unused`, which the caller destroys after the claim.
  private func claim(_ key: Key, hash: Int, unused: inout [Node.Pointer]) -> Value? {
    var nodes: [Node.Pointer] = []  // One for each attempt; the last gets in.
    let value: Value? = change(key, hash: hash) { present in
      if present.isClaimed { return .wait }
      nodes.append(Node.make(key, hash: hash, value: present.value, isClaimed: true))
      return .exchange(for: nodes.last, present.value)
    }
    unused = nodes.dropLast()
    return value
  }

  private func endClaim(_ key: Key, hash: Int, value: Value?) {
    let node = value.map { Node.make(key, hash: hash, value: $0) }
    change(key, hash: hash) { _ in .exchange(for: node, ()) }
    endedClaims.signal()
  }
}

// MARK: Replacing the table

extension LockFreeDictionary {
  private var current: Table {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange in
    // `replace`.
    Table(memory: root.load(ordering: .sequentiallyConsistent))
  }

  private func resizeIfNeeded(_ table: Table) {
    // Relaxed: a little more or less than the truth replaces the table a little earlier or later.
    let count = valueCount.load(ordering: .relaxed)
    let isSparse = table.bucketCount > Self.leastBucketCount && count < table.bucketCount / 8
    if count > table.bucketCount || isSparse { replace(table) }
  }

  /// Replaces `table`, if it is still the current one, by one with buckets to suit its nodes.
  private func replace(_ table: Table) {
    var nodes: [Node.Pointer] = []
    for index in 0..<table.bucketCount {
      Node.forEach(from: table.bucket(at: index).pointee.freeze()) { nodes.append($0) }
    }
    let replacement = Table(bucketCount: Self.bucketCount(forNodes: nodes.count))
    for node in nodes {
      let copy = Node.copy(node, next: nil)
      replacement.bucket(forHash: copy.pointee.hash).pointee.prepend(copy)
    }
    HaltPoint.betweenAtomics.reach()
    // Sequentially consistent: unlinks the old table, which is retired next, and publishes the new one.
    let (isOurs, _) = root.compareExchange(
      expected: table.memory, desired: replacement.memory, ordering: .sequentiallyConsistent)
    if isOurs {
      domain.retire(table.memory, as: Table.self)
    } else {
      CurrentThread.noteFailedExchange()
      // Copies all, whose originals our pin protects: none holds a last reference.
      replacement.destroy()
    }
  }

  /// A power of two, so that half to all of the buckets would hold a node if they were spread evenly.
  private static func bucketCount(forNodes count: Int) -> Int {
    var bucketCount = leastBucketCount
    while bucketCount < count * 2 { bucketCount *= 2 }
    return bucketCount
  }
}

// @unchecked: what threads share is atomic or immutable; keys and values are shared only if they may be.
extension LockFreeDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}
