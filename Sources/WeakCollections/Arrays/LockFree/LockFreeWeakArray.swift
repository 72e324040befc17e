// A weak array as a log in segments. The root points to the current directory (`SlotDirectory`), which lists
// segments of slots (`SlotSegment`), all full but the last, the tail. Every change is decided by
// one exchange: that of the first free slot of the tail for a word which says what it is.
//
//  - An entry: it is appended. Order in the slots is order in the array.
//  - A removal of the entry at a position: whoever comes by puts a tombstone in that entry's place. One exchange of
//    the entry for the tombstone succeeds; who made it retires the entry.
//  - A closing: nothing more is decided in this directory, as when the tail is full. Whoever comes by makes
//    a successor, which keeps most segments and replaces some; all agree on one successor; the root is
//    exchanged for it. Whose proposal it is retires what it leaves out.
//
// The directory's state is the position up to which decisions are done, and the number of entries then. A
// thread that finds the slot at the position filled does what it says, and advances the state, before it
// goes on: so a stopped thread stops nobody, and at most one decision is under way.
//
// Invariants, beside those of `SlotSegment`:
//  1. In one directory a position has one number of entries, and never comes back: state has no ABA.
//  2. What the slots before the position say is done. So while the slot at the position is free, slots and
//     state are the array's, and the directory is current.
//  3. A closed directory is never changed; its state is final. Segments that it shares with its successor
//     change once the root is exchanged, not before.
//  4. Of those who replace a directory, one has its proposal agreed on. It alone retires the directory, the
//     segments and the entries left out; the others free what they made.
//  5. An entry is in a slot before the current position, or in the one at it, or retired.
//
// Linearization. An append: its exchange of the slot. So its number, one more than the entries in the state
// which it claimed the slot at, is exact: there is no other way from that state. A removal: the exchange for the
// tombstone; its slot was loaded as an entry when the state was known, so no other removal has decided to take
// it. Compaction and removal of all: the exchange of the root. What looks and finds
// nothing, and `entryCount`: a moment when the slot at the position is free, or when the root is found to be
// a closed directory still. For snapshots see `LockFreeWeakArray+Snapshots.swift`.
//
// Progress: lock-free. Each retry is caused by another operation's decision. A compaction stops nobody: of
// those who find a directory closed, each can replace it, with work bounded by a constant number of segments,
// but for what is asked to be compacted whole.

import EpochReclamation
import Primitives
import WeakReferences

/// The weak array that no stopped thread can stop: lock-free, with epoch reclamation.
///
/// Entries of dead objects, and their memory, are kept until two epochs after they are noticed; see
/// `EpochDomain` for the bound. An entry takes one word, of a protocol two and an allocation.
public final class LockFreeWeakArray<Element>: SynchronousWeakArray {
  let domain: EpochDomain
  private let root: Atomic<UnsafeMutableRawPointer>

  public convenience init() {
    self.init(domain: .shared)
  }

  /// An array whose memory is reclaimed by `domain`.
  public init(domain: EpochDomain) {
    ReferenceLayout.require(Element.self)
    self.domain = domain
    root = Atomic(SlotRebuild<Element>.emptyDirectory().memory)
  }

  deinit {
    noteLastRelease(of: self)
    // Nobody else has the array any more: its last release ordered everything before this.
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

  public func removeAll() {
    close(for: .clearing)
  }

  @discardableResult
  public func compact() -> Int {
    close(for: .compaction)
  }

  /// Has the current directory replaced; returns how many dead entries that dropped.
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

  var current: SlotDirectory {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the exchange in
    // `replace`.
    SlotDirectory(memory: root.load(ordering: .sequentiallyConsistent))
  }

  /// Exchanges the root, which is `directory` or has gone on from it, for the successor agreed on.
  func exchangeRoot(_ directory: SlotDirectory, for successor: SlotDirectory) {
    // Sequentially consistent: the linearization point of a compaction, and the unlinking of what is retired
    // then; publishes the new segments. No ABA: a directory does not come back while we are pinned.
    _ = root.compareExchange(
      expected: directory.memory, desired: successor.memory, ordering: .sequentiallyConsistent)
  }
}

// @unchecked: what threads share is atomic or immutable; elements are shared only if they may be.
extension LockFreeWeakArray: @unchecked Sendable where Element: Sendable {}

extension LockFreeWeakArray {
  /// Puts `word` into the slot after `state`, and has done what that slot says, whosesoever it is; returns
  /// whether it is ours.
  @inline(__always)
  func claim(
    _ word: SlotWord, in directory: SlotDirectory, at state: SlotDirectory.State,
    promoted: inout PromotedObjects
  ) -> Bool {
    let tail = directory.tail
    guard state.position < tail.capacity else {
      replace(directory, for: .growth, promoted: &promoted)
      return false
    }
    // Sequentially consistent: decides what comes after `state`, and publishes the entry to those who load
    // the slot. A failure says what another thread has decided, who may need help to have it done.
    let (isOurs, found) = tail.slots[state.position].compareExchange(
      expected: SlotWord.free.rawValue, desired: word.rawValue, ordering: .sequentiallyConsistent)
    HaltPoint.betweenAtomics.reach()
    if isOurs && word.isEntry {
      directory.advance(from: state, changingEntriesBy: 1)
      return true
    }
    let decided = isOurs ? word : SlotWord(rawValue: found)
    if !isOurs { CurrentThread.noteFailedExchange() }
    if Defect.closingIgnored.isPlanted, !isOurs, decided.isClosing {
      directory.advance(from: state, changingEntriesBy: 0)
      return false
    }
    settle(decided, in: directory, at: state, promoted: &promoted)
    return isOurs
  }

  /// Does what `word`, the slot after `state`, says; nothing is left to do if others have done it.
  @inline(never)
  func settle(
    _ word: SlotWord, in directory: SlotDirectory, at state: SlotDirectory.State,
    promoted: inout PromotedObjects
  ) {
    switch word.meaning {
    case .free: preconditionFailure("a slot is settled when it is filled")
    case .entry, .tombstone: directory.advance(from: state, changingEntriesBy: 1)
    case .removal(let position):
      if !Defect.removalNotDone.isPlanted { bury(position, in: directory) }
      directory.advance(from: state, changingEntriesBy: -1)
      if Defect.removalNotDone.isPlanted { bury(position, in: directory) }
    case .closing(let closing): replace(directory, for: closing, promoted: &promoted)
    }
  }

  /// Puts a tombstone in the place of the entry at `position`.
  private func bury(_ position: SlotPosition, in directory: SlotDirectory) {
    let word = directory[position]
    guard word.isEntry else { return }
    // Sequentially consistent: the linearization point of the removal, and the unlinking of what is retired.
    let (isOurs, _) = directory.segments[position.segment].slots[position.index].compareExchange(
      expected: word.rawValue, desired: SlotWord.tombstone.rawValue,
      ordering: .sequentiallyConsistent)
    guard isOurs || Defect.retiredByHelpers.isPlanted else {
      return CurrentThread.noteFailedExchange()
    }
    if Defect.entryFreedAtOnce.isPlanted { return WeakEntry<Element>.release(word.rawValue) }
    retire(word.rawValue)
  }

  func retire(_ entry: UInt) {
    domain.retire(UnsafeMutableRawPointer(bitPattern: entry)!, as: WeakEntry<Element>.self)
  }
}

extension LockFreeWeakArray {
  /// Has `directory`, which is closed, replaced; when this returns, it is.
  @inline(never)
  func replace(
    _ directory: SlotDirectory, for closing: SlotWord.Closing, promoted: inout PromotedObjects
  ) {
    if let successor = directory.successor { return exchangeRoot(directory, for: successor) }
    var rebuild = SlotRebuild<Element>(of: directory)
    let proposal = rebuild.successor(for: closing, promoted: &promoted)
    HaltPoint.betweenAtomics.reach()
    let agreed = directory.agree(on: proposal)
    exchangeRoot(directory, for: agreed)
    guard agreed == proposal || Defect.loserGoesOn.isPlanted else {
      for segment in rebuild.fresh { segment.deallocate() }
      return proposal.deallocate()
    }
    proposal.checkInvariants()
    domain.retire(directory.memory, as: SlotDirectory.self)
    for segment in rebuild.replaced {
      if Defect.segmentFreedAtOnce.isPlanted {
        segment.deallocate()
      } else {
        domain.retire(segment.memory, as: SlotSegment.self)
      }
    }
    for entry in rebuild.dropped where !Defect.droppedNotRetired.isPlanted { retire(entry) }
  }
}

extension LockFreeWeakArray {
  private enum Finding {
    case found(SlotPosition)
    /// There was a moment in which the array did not hold it.
    case absent
    /// The directory was replaced meanwhile: look again.
    case replaced
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

  /// Decides the removal of the entry at `position`, the earliest of its object; false if another thread
  /// has, or the directory is closed.
  private func remove(
    at position: SlotPosition, in directory: SlotDirectory, promoted: inout PromotedObjects
  ) -> Bool {
    repeat {
      let state = directory.state
      // Loaded after the state: an entry now, it is not the object of an earlier decision, as those are done.
      guard directory[position].isEntry || Defect.targetNotLookedAtAgain.isPlanted else {
        return false
      }
      if claim(.removal(of: position), in: directory, at: state, promoted: &promoted) {
        return true
      }
    } while current == directory
    return false
  }

  /// Looks for the earliest entry of an object.
  ///
  /// What is found was in the array when the root, or the state, was loaded. Slots never become entries
  /// of an object but at the position, so what was not found before it need not be looked at again.
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
