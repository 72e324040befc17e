import EpochReclamation
import Primitives

extension BucketLockDictionary {
  /// The bucket of a key, locked by this thread.
  struct Holding {
    let table: Table
    let probe: Table.Probe
    /// The bucket's state before it was locked.
    let state: BucketState
  }

  /// Removes `key`, and releases its value.
  func remove(_ key: Key) {
    let old = change(key) { $0 == .absent ? nil : .absent }
    Coding.release(old, in: domain, borrowing)
  }

  /// Changes the value word for `key` as the function below does; traps if this thread is inside a
  /// body of this dictionary.
  @inline(__always)
  func change(_ key: Key, _ decide: (ValueWord) -> ValueWord?) -> ValueWord {
    if KeyCoding<Key>.isInert {
      return KeyCoding<Key>.guarding(self) { change(key, Hashed(key), decide) }
    }
    var keys = EpochDomain.Collected()
    let old = domain.collectReleases(to: &keys) {
      KeyCoding<Key>.guarding(self) { change(key, Hashed(key), decide) }
    }
    domain.release(keys)
    return old
  }

  /// Replaces the value word for `key` with the result of `decide`.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - hashed: The hashed key.
  ///   - decide: Receives the word of a value or `absent`. Returns such a word, or nil to change
  ///     nothing.
  /// - Returns: The argument of `decide`.
  @inline(__always)
  func change(
    _ key: Key, _ hashed: Hashed, _ decide: (ValueWord) -> ValueWord?
  ) -> ValueWord {
    while true {
      if let old = domain.pin({ tryChange(key, hashed, decide) }) { return old }
      sleep(untilUnlocked: hashed)
    }
  }

  /// Tries to change the value word; returns nil if the bucket stays locked.
  @inline(__always)
  private func tryChange(
    _ key: Key, _ hashed: Hashed, _ decide: (ValueWord) -> ValueWord?
  ) -> ValueWord? {
    guard let holding = tryHold(hashed) else { return nil }
    let place = holding.table.place(of: key, hashed, holding.probe)
    let old = place.hasKey ? place.bucket.value(place.slot) : .absent
    guard let new = decide(old) else {
      unlock(holding.probe.bucket, holding.state)
      return old
    }
    put(new, for: old, key, hashed, at: place, holding)
    return old
  }

  /// Locks the bucket of a key, present or not; returns nil if it stays locked. The caller must be
  /// pinned.
  @inline(__always)
  private func tryHold(_ hashed: Hashed) -> Holding? {
    var table = current
    if table.next != nil { table = migrateSome(of: table) }
    while true {
      let probe = table.probe(hashed)
      guard let state = lock(probe.bucket) else { return nil }
      if !state.isMigrated {
        return Holding(table: table, probe: probe, state: state)
      }
      unlock(probe.bucket, state)
      table = table.next.unsafelyUnwrapped
    }
  }

  /// Replaces `old` with `new`, which are not both `absent`, and unlocks the bucket.
  @inline(__always)
  private func put(
    _ new: ValueWord, for old: ValueWord, _ key: Key, _ hashed: Hashed, at place: Table.Place,
    _ holding: Holding
  ) {
    if new == .absent {
      remove(at: place, old, holding)
    } else if place.hasKey {
      place.bucket.setValue(new, place.slot, unlinks: !Coding.isTrivial || !old.isInline)
      unlock(holding.probe.bucket, holding.state)
    } else {
      insert(new, key, hashed, at: place, holding)
    }
  }

  @inline(__always)
  private func insert(
    _ new: ValueWord, _ key: Key, _ hashed: Hashed, at place: Table.Place, _ holding: Holding
  ) {
    let bucket = holding.probe.bucket
    let state = holding.state.raised
    // Before the slot changes: a reader of its previous key must not take the new value for that
    // key's.
    bucket.setState(state.locked)
    place.bucket.setValue(new, place.slot)
    place.bucket.setKey(holding.table.word(for: key, hashed, holding.probe), place.slot)
    bucket.checkInvariants()
    unlock(bucket, state)
    live.add(1)
    if place.bucket != bucket { growIfDense(holding.table) }
  }

  @inline(__always)
  private func remove(at place: Table.Place, _ old: ValueWord, _ holding: Holding) {
    let bucket = holding.probe.bucket
    let word = takeKey(at: place, old)
    bucket.checkInvariants()
    unlock(bucket, holding.state)
    let count = live.add(-1)
    if !KeyCoding<Key>.fitsWord { KeyCoding<Key>.retire(word, in: domain) }
    // Only on some removals, independent of the hashes: reading the whole count costs more than
    // removing.
    if count & 7 == 0 { shrinkIfSparse(holding.table) }
  }

  /// Frees a slot, whose value is `old`; returns the word of its key. The caller must hold the
  /// lock.
  @inline(__always)
  func takeKey(at place: Table.Place, _ old: ValueWord) -> UInt {
    let word = place.bucket.key(place.slot)
    let unlinks = !KeyCoding<Key>.fitsWord || !Coding.isTrivial || !old.isInline
    place.bucket.setKey(0, place.slot, unlinks: unlinks)
    return word
  }

  /// Changes the value for `key` under the lock of its bucket; returns the result of `body`.
  public func update<R, F: Error>(
    _ key: Key, _ body: (inout Value?) throws(F) -> R
  ) throws(F) -> R {
    CriticalSection.checkNotHeld(self)
    if IrreflexiveEntries<Key, Value>.contain(key, self) {
      return try irreflexive.update(key, in: self, domain, body)
    }
    var replaced = ValueWord.absent
    var keys = EpochDomain.Collected()
    var new: Value?
    // Held from before the lock, so that no reclaimer runs while this thread has the lock.
    let result = CriticalSection.hold(self) {
      let hashed = Hashed(key)
      let holding = hold(hashed)
      // The lock keeps the table and the word valid, so no pin is needed.
      let place = holding.table.place(of: key, hashed, holding.probe)
      let prior = place.hasKey ? place.bucket.value(place.slot) : .absent
      new = Coding.copy(prior)
      let result = domain.withoutQuickPins { Result { () throws(F) in try body(&new) } }
      if case .success = result {
        let word = new.map { Coding.encode($0) } ?? .absent
        if KeyCoding<Key>.isInert {
          end(key, hashed, at: place, prior, holding, with: word)
        } else {
          domain.collectReleases(to: &keys) {
            end(key, hashed, at: place, prior, holding, with: word)
          }
        }
        replaced = prior
      } else {
        unlock(holding.probe.bucket, holding.state)
      }
      return result
    }
    if !KeyCoding<Key>.isInert { domain.release(keys) }
    Coding.release(replaced, in: domain, borrowing)
    return try withExtendedLifetime(new) { () throws(F) in try result.get() }
  }

  private func hold(_ hashed: Hashed) -> Holding {
    while true {
      if let holding = domain.pin({ tryHold(hashed) }) { return holding }
      sleep(untilUnlocked: hashed)
    }
  }

  private func end(
    _ key: Key, _ hashed: Hashed, at place: Table.Place, _ prior: ValueWord, _ holding: Holding,
    with new: ValueWord
  ) {
    if new == .absent && !place.hasKey { return unlock(holding.probe.bucket, holding.state) }
    // The pin keeps the table valid when the lock no longer does.
    domain.pin { put(new, for: prior, key, hashed, at: place, holding) }
  }
}
