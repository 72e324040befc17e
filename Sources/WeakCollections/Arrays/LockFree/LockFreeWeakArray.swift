// A weak array as a log in segments. The root points to the current directory (`SlotDirectory`),
// which lists segments of slots (`SlotSegment`). All segments are full except the last one, the
// tail. One compare-exchange decides every change: that of the first free slot of the tail for a
// word that says what the change is.
//
//  - An entry: it is appended. The order of the slots is the order of the array.
//  - The removal of the entry at a position: any thread that comes by puts a tombstone in that
//    entry's place. One compare-exchange of the entry for the tombstone succeeds; the thread that
//    made it retires the entry.
//  - A closing: nothing more is decided in this directory, as when the tail is full. Any thread
//    that comes by makes a successor, which keeps most segments and replaces some. All threads
//    agree on one successor, and the root is exchanged for it. The thread that proposed it retires
//    what it leaves out.
//
// The state of a directory is the position up to which decisions are done, and the number of
// entries at that point. A thread that finds the slot at the position filled does what it says, and
// advances the state, before it goes on. So a suspended thread stops no other, and at most one
// decision is in progress.
//
// Invariants, in addition to those of `SlotSegment`:
//  1. In one directory a position has one number of entries, and never comes back: the state has no
//     ABA.
//  2. What the slots before the position say is done. So while the slot at the position is free,
//     slots and state are those of the array, and the directory is current.
//  3. A closed directory never changes; its state is final. Segments that it shares with its
//     successor change only after the root was exchanged.
//  4. Of the threads that replace a directory, one has its proposal agreed on. It alone retires the
//     directory, the segments and the entries left out; the others free what they made.
//  5. An entry is in a slot before the current position, or in the one at it, or retired.
//
// Linearization:
//  - An append: its compare-exchange of the slot. So its number, one more than the entries in the
//    state at which it claimed the slot, is exact: there is no other way from that state.
//  - A removal: the compare-exchange for the tombstone. Its slot was loaded as an entry when the
//    state was known, so no other removal has decided to take it.
//  - A compaction, and the removal of all entries: the exchange of the root.
//  - An operation that searches and finds nothing, and `entryCount`: a moment when the slot at the
//    position is free, or when the root is found to be still a closed directory.
//  - Snapshots: see `LockFreeWeakArray+Snapshots.swift`.
//
// Progress: lock-free. Each retry is caused by another operation's decision. A compaction stops no
// thread: any thread that finds a directory closed can replace it. That work is bounded by a
// constant number of segments, unless a compaction of the whole array was requested.

import EpochReclamation
import Primitives
import WeakReferences

/// A lock-free weak array with epoch reclamation: no suspended thread stops the others.
///
/// Entries of dead objects, and their memory, are kept until two epochs after an operation notices
/// them; `EpochDomain` states the bound. An entry takes one word; of a protocol type, two words and
/// an allocation.
public final class LockFreeWeakArray<Element>: SynchronousWeakArray {
  let domain: EpochDomain
  private let root: Atomic<UnsafeMutableRawPointer>

  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty array whose memory `domain` reclaims.
  public init(domain: EpochDomain) {
    ReferenceLayout.require(Element.self)
    self.domain = domain
    root = Atomic(SlotRebuild<Element>.emptyDirectory().memory)
  }

  deinit {
    noteLastRelease(of: self)
    // No other thread has the array any more: its last release ordered everything before this.
    let directory = current
    let state = directory.state
    for (index, segment) in directory.segments.enumerated() {
      for slot in 0..<directory.filledCount(ofSegment: index, at: state)
      where segment[slot].isEntry {
        WeakEntry<Element>.release(segment[slot].rawValue)
      }
      segment.deallocate()
    }
    directory.deallocate()
  }

  @discardableResult
  public func append(_ element: Element) -> Int {
    let entry = WeakEntry<Element>.make(element)
    var promoted = PromotedObjects()  // Outlives the pin.
    return domain.pin {
      while true {
        let directory = current
        let state = directory.state
        if claim(.entry(entry), in: directory, at: state, promoted: &promoted) {
          return state.entryCount + 1
        }
      }
    }
  }

  public var entryCount: Int {
    var promoted = PromotedObjects()
    return domain.pin {
      while true {
        let directory = current
        let state = directory.state
        switch directory.next(after: state) {
        case .free: return state.entryCount
        case .closed: if current == directory { return state.entryCount }
        case .filled(let word): settle(word, in: directory, at: state, promoted: &promoted)
        }
      }
    }
  }

  public func contains(_ element: Element) -> Bool {
    let identity = ObjectIdentity(of: element)
    var promoted = PromotedObjects()
    return domain.pin {
      while true {
        switch find(identity, in: current, promoted: &promoted) {
        case .found: return true
        case .absent: return false
        case .replaced: continue
        }
      }
    }
  }

  @discardableResult
  public func remove(_ element: Element) -> Bool {
    let identity = ObjectIdentity(of: element)
    var promoted = PromotedObjects()
    return domain.pin {
      while true {
        let directory = current
        switch find(identity, in: directory, promoted: &promoted) {
        case .found(let position):
          if remove(at: position, in: directory, promoted: &promoted) { return true }
        case .absent: return false
        case .replaced: continue
        }
      }
    }
  }

  public func removeAll() {
    close(for: .clearing)
  }

  @discardableResult
  public func compact() -> Int {
    close(for: .compaction)
  }
}

// @unchecked: what threads share is atomic or immutable; elements are shared only if they may be.
extension LockFreeWeakArray: @unchecked Sendable where Element: Sendable {}

// MARK: - Deciding

extension LockFreeWeakArray {
  var current: SlotDirectory {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange
    // in `replace`.
    SlotDirectory(memory: root.load(ordering: .sequentiallyConsistent))
  }

  /// Claims the slot after `state` for `word`, and does what the slot then says, also if it is the
  /// word of another thread; returns whether it is ours.
  @inline(__always)
  private func claim(
    _ word: SlotWord, in directory: SlotDirectory, at state: SlotDirectory.State,
    promoted: inout PromotedObjects
  ) -> Bool {
    let tail = directory.tail
    guard state.position < tail.capacity else {
      replace(directory, for: .growth, promoted: &promoted)
      return false
    }
    // Sequentially consistent: decides what comes after `state`, and publishes the entry to the
    // threads that load the slot. A failure shows what another thread has decided, which may need
    // help to be done.
    let (isOurs, found) = tail.slots[state.position].compareExchange(
      expected: SlotWord.free.rawValue, desired: word.rawValue, ordering: .sequentiallyConsistent)
    if isOurs && word.isEntry {
      directory.advance(from: state, changingEntriesBy: 1)
      return true
    }
    let decided = isOurs ? word : SlotWord(rawValue: found)
    if !isOurs { CurrentThread.noteFailedExchange() }
    settle(decided, in: directory, at: state, promoted: &promoted)
    return isOurs
  }

  /// Does what `word`, the slot after `state`, says; does nothing if other threads have done it.
  @inline(never)
  func settle(
    _ word: SlotWord, in directory: SlotDirectory, at state: SlotDirectory.State,
    promoted: inout PromotedObjects
  ) {
    switch word.meaning {
    case .free: preconditionFailure("a slot is settled when it is filled")
    case .entry, .tombstone: directory.advance(from: state, changingEntriesBy: 1)
    case .removal(let position):
      bury(position, in: directory)
      directory.advance(from: state, changingEntriesBy: -1)
    case .closing(let closing): replace(directory, for: closing, promoted: &promoted)
    }
  }

  /// Replaces the entry at `position` by a tombstone.
  private func bury(_ position: SlotPosition, in directory: SlotDirectory) {
    let word = directory[position]
    guard word.isEntry else { return }
    // Sequentially consistent: the linearization point of the removal, and the unlinking of what is
    // retired.
    let (isOurs, _) = directory.segments[position.segment].slots[position.index].compareExchange(
      expected: word.rawValue, desired: SlotWord.tombstone.rawValue,
      ordering: .sequentiallyConsistent)
    guard isOurs else { return CurrentThread.noteFailedExchange() }
    retire(word.rawValue)
  }

  private func retire(_ entry: UInt) {
    domain.retire(UnsafeMutableRawPointer(bitPattern: entry)!, as: WeakEntry<Element>.self)
  }

  /// Closes and replaces the current directory; returns the number of dead entries that this
  /// dropped.
  @discardableResult
  private func close(for closing: SlotWord.Closing) -> Int {
    var promoted = PromotedObjects()
    return domain.pin {
      while true {
        let directory = current
        if claim(.closing(closing), in: directory, at: directory.state, promoted: &promoted) {
          return directory.successor!.droppedCount
        }
      }
    }
  }

  /// Replaces `directory`, which is closed; it has been replaced when this returns.
  @inline(never)
  private func replace(
    _ directory: SlotDirectory, for closing: SlotWord.Closing, promoted: inout PromotedObjects
  ) {
    if let successor = directory.successor { return exchangeRoot(directory, for: successor) }
    var rebuild = SlotRebuild<Element>(of: directory)
    let proposal = rebuild.successor(for: closing, promoted: &promoted)
    let agreed = directory.agree(on: proposal)
    exchangeRoot(directory, for: agreed)
    guard agreed == proposal else {
      for segment in rebuild.fresh { segment.deallocate() }
      return proposal.deallocate()
    }
    proposal.checkInvariants()
    domain.retire(directory.memory, as: SlotDirectory.self)
    for segment in rebuild.replaced {
      domain.retire(segment.memory, as: SlotSegment.self)
    }
    for entry in rebuild.dropped { retire(entry) }
  }

  /// Replaces the root, which is `directory` or has advanced beyond it, by the successor agreed on.
  private func exchangeRoot(_ directory: SlotDirectory, for successor: SlotDirectory) {
    // Sequentially consistent: the linearization point of a compaction, and the unlinking of what
    // is retired then; publishes the new segments. No ABA: a directory does not come back while
    // this thread is pinned.
    _ = root.compareExchange(
      expected: directory.memory, desired: successor.memory, ordering: .sequentiallyConsistent)
  }
}

// MARK: - Searching

extension LockFreeWeakArray {
  private enum Finding {
    case found(SlotPosition)
    /// At one moment the array did not hold the object.
    case absent
    /// The directory was replaced meanwhile: search again.
    case replaced
  }

  /// Decides the removal of the entry at `position`, the earliest of its object; returns false if
  /// another thread has decided it, or the directory is closed.
  private func remove(
    at position: SlotPosition, in directory: SlotDirectory, promoted: inout PromotedObjects
  ) -> Bool {
    repeat {
      let state = directory.state
      // Loaded after the state: if it is an entry now, no earlier decision removes it, as those are
      // done.
      guard directory[position].isEntry else { return false }
      if claim(.removal(of: position), in: directory, at: state, promoted: &promoted) {
        return true
      }
    } while current == directory
    return false
  }

  /// Searches for the earliest entry of an object.
  ///
  /// An entry that it finds was in the array when the root, or the state, was loaded. Slots become
  /// entries only at the position, so the slots before it need not be searched again.
  private func find(
    _ identity: ObjectIdentity, in directory: SlotDirectory, promoted: inout PromotedObjects
  ) -> Finding {
    let last = directory.segments.count - 1
    for segment in 0..<last {
      let slots = directory.segments[segment]
      if let index = firstIndex(of: identity, in: slots, 0..<slots.capacity) {
        return .found(SlotPosition(segment: segment, index: index))
      }
    }
    var searchedCount = 0
    while true {
      let state = directory.state
      if let index = firstIndex(of: identity, in: directory.tail, searchedCount..<state.position) {
        return .found(SlotPosition(segment: last, index: index))
      }
      searchedCount = state.position
      switch directory.next(after: state) {
      case .free: return .absent
      case .closed: return current == directory ? .absent : .replaced
      case .filled(let word): settle(word, in: directory, at: state, promoted: &promoted)
      }
    }
  }

  private func firstIndex(
    of identity: ObjectIdentity, in segment: SlotSegment, _ range: Range<Int>
  ) -> Int? {
    for index in range {
      let word = segment[index]
      if word.isEntry && WeakEntry<Element>.refers(word.rawValue, to: identity) { return index }
    }
    return nil
  }
}
