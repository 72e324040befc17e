import EpochReclamation
import Primitives

extension LockFreeDictionary {
  /// What the current chain says of a key.
  struct Present {
    let value: Value?
    let isClaimed: Bool
  }

  enum Decision<R> {
    /// The chain stays.
    case leave(R)
    /// The key's node is exchanged; nil removes it.
    case exchange(for: Node.Pointer?, R)
    /// Another thread's claim must end first.
    case wait
  }

  /// Applies `decide` to the present state of `key`, again whenever that changed meanwhile.
  func change<R>(_ key: Key, hash: Int, _ decide: (Present) -> Decision<R>) -> R {
    while true {
      var ticket = endedClaims.ticket()
      if let result = domain.pin({ changeOrWait(key, hash: hash, decide) }) { return result }
      if Defect.lostWakeUp.isPlanted { ticket = endedClaims.ticket() }
      endedClaims.wait(for: ticket)
    }
  }

  /// nil when a claim must end first.
  private func changeOrWait<R>(_ key: Key, hash: Int, _ decide: (Present) -> Decision<R>) -> R? {
    while true {
      let table = current
      let bucket = table.bucket(forHash: hash)
      let state = bucket.pointee.load()
      if state.isFrozen && !Defect.frozenBucketWritten.isPlanted {
        replace(table)
        continue
      }
      let node = Node.find(key, hash: hash, from: state.first)
      let present = Present(
        value: node?.pointee.value, isClaimed: node?.pointee.isClaimed ?? false)
      switch decide(present) {
      case .leave(let result):
        return result
      case .wait:
        return nil
      case .exchange(let replacement, let result):
        if exchange(node, for: replacement, in: bucket, state) {
          resizeIfNeeded(table)
          current.checkInvariants()
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
    let change =
      (replacement?.reading().pointee.value == nil ? 0 : 1)
      - (old?.reading().pointee.value == nil ? 0 : 1)
    // Relaxed: a count, through which nothing else is read.
    if change > 0 || change < 0 && !Defect.countNeverFalls.isPlanted {
      valueCount.wrappingAdd(change, ordering: .relaxed)
    }
    if let old {
      Node.forEach(from: state.first, upTo: old) { domain.retire($0, as: Node.self) }
      if Defect.nodeFreedAtOnce.isPlanted {
        Node.destroy(old)
      } else {
        domain.retire(old, as: Node.self)
      }
    }
    return true
  }

  /// Marks `key` as ours to change; returns its value.
  ///
  /// A node of an attempt that failed may hold the last reference to a value that is no longer there, so
  /// it goes to `unused`, which the caller destroys after the claim.
  func claim(_ key: Key, hash: Int, unused: inout [Node.Pointer]) -> Value? {
    var nodes: [Node.Pointer] = []  // One for each attempt; the last gets in.
    let value: Value? = change(key, hash: hash) { present in
      if present.isClaimed { return .wait }
      nodes.append(Node.make(key, hash: hash, value: present.value, isClaimed: true))
      return .exchange(for: nodes.last, present.value)
    }
    unused = nodes.dropLast()
    return value
  }

  func endClaim(_ key: Key, hash: Int, value: Value?) {
    let node = value.map { Node.make(key, hash: hash, value: $0) }
    change(key, hash: hash) { _ in .exchange(for: node, ()) }
    endedClaims.signal()
  }
}
