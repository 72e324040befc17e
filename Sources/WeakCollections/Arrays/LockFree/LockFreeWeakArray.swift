// A weak array as a log of decisions. As in Herlihy's universal construction ("Wait-free
// synchronization", 1991), one compare-exchange decides the next change, and any thread can carry
// it out. (Compare the pending write of Dechev, Pirkelbauer and Stroustrup, "Lock-free dynamically
// resizable arrays", 2006.)
//
//     root --> directory                      segments
//              state: position 2              e  entry, x  tombstone, r  removal, _  free
//                     entryCount 6            +---+---+---+---+---+---+
//              successor: nil            +--> | e | e | x | e | e | e |    full
//              segments -----------------+    +---+---+---+---+---+---+
//                                        +--> | e | r | _ | _ | _ | _ |    the tail
//                                             +---+---+---+---+---+---+
//                                                       ^ position: decides the next change
//
// The root points to the current directory (`SlotDirectory`), which lists segments of slots
// (`SlotSegment`). All segments are full except the last one, the tail. One compare-exchange
// decides every change: it fills the first free slot of the tail with a word that encodes the
// change.
//
//  - An entry: the element is appended. The order of the slots is the order of the array.
//  - The removal of an entry, named by its `SlotPosition`: any thread that reads the word replaces
//    that entry with a tombstone, by a compare-exchange. One thread succeeds; it retires the entry.
//  - A closing: nothing more is decided in this directory. (A full tail closes it without a word.)
//    Any thread that finds the directory closed builds a successor, which keeps most segments and
//    replaces some. All threads agree on one successor and replace the root with it. The thread
//    that proposed the successor retires everything that it leaves out.
//
// The state of a directory consists of its *position*, the number of slots of the tail whose
// decisions are done, and of the number of entries at that point. A thread that finds the slot at
// the position filled first carries out that slot's decision and advances the state. So a suspended
// thread stops no other, and at most one decision is in progress.
//
// Invariants, in addition to those of `SlotSegment`:
//  1. In one directory the position only grows, and each position has one number of entries. So a
//     state never recurs, and its compare-exchange has no ABA problem.
//  2. The decisions in the slots before the position are done. So while the slot at the position is
//     free, slots and state are those of the array, and the directory is current.
//  3. A closed directory never changes; its state is final. Segments that it shares with its
//     successor change only after the root was replaced.
//  4. Of the threads that replace a directory, one has its proposal agreed on. Only that thread
//     retires the directory, the segments and the entries left out; the others free their own
//     proposals.
//  5. An entry is in a slot before the current position, or in the slot at the position, or
//     retired.
//
// Linearization:
//  - An append: its compare-exchange of the slot. So its result, one more than the number of
//    entries in the state at which it claimed the slot, is exact: only one decision can follow that
//    state.
//  - A removal: the compare-exchange that installs the tombstone. The slot was loaded as an entry
//    when the state was known, so no other removal has been decided for it.
//  - A compaction, and the removal of all entries: the compare-exchange of the root.
//  - An operation that searches and finds nothing, and `entryCount`: a moment when the slot at the
//    position is free, or when the root still points to a closed directory.
//  - Snapshots: see `LockFreeWeakArray+Snapshots.swift`.
//
// Progress: lock-free. Each retry is caused by another operation's decision. A compaction stops no
// thread: any thread that finds a directory closed can replace it. That work is bounded by a
// constant number of segments, unless the caller requested a compaction of the whole array.

import EpochReclamation
import Primitives
import WeakReferences

/// A lock-free weak array with epoch reclamation: a suspended thread never stops the others.
///
/// Entries of dead objects, and their memory, remain until two epochs after an operation notices
/// them; `EpochDomain` states the bound. An entry takes one word; an entry of a protocol type takes
/// two words and an allocation.
public final class LockFreeWeakArray<Element>: SynchronousWeakArray, ConcurrentWeakArray {
  let domain: EpochDomain
  private let root: Atomic<UnsafeMutableRawPointer>

  /// Creates an empty array in the shared domain. Traps if `Element` is not a reference type.
  public convenience init() {
    self.init(domain: .shared)
  }

  /// Creates an empty array whose memory `domain` reclaims. Traps if `Element` is not a reference
  /// type.
  public init(domain: EpochDomain) {
    ReferenceLayout.require(Element.self)
    self.domain = domain
    root = Atomic(SlotRebuild<Element>.emptyDirectory().memory)
  }

  deinit {
    noteLastRelease(of: self)
    // No other thread has access to the array: its last release orders every other use before this.
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

  /// Appends `element`; returns the number of entries afterwards. Lock-free.
  @discardableResult
  public func append(_ element: Element) -> Int {
    let entry = WeakEntry<Element>.make(element)
    var promoted = PromotedObjects()  // Declared outside the pin, so that it is released there.
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

  /// The number of stored entries, exact at one moment during the call.
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

  /// Returns whether there is an entry for the identical object. Lock-free.
  ///
  /// - Complexity: O(*n*).
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

  /// Removes the earliest entry for the identical object; returns whether there was one. Lock-free.
  ///
  /// - Complexity: O(*n*).
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

  /// Removes every entry in one step.
  public func removeAll() {
    close(for: .clearing)
  }

  /// Removes the entries of objects that are dead at one moment during the call; returns the number
  /// of removed entries.
  ///
  /// - Complexity: O(*n*).
  @discardableResult
  public func compact() -> Int {
    close(for: .compaction)
  }
}

// @unchecked: shared state is atomic or immutable; threads share elements only if they are
// Sendable.
extension LockFreeWeakArray: @unchecked Sendable where Element: Sendable {}

// MARK: - Deciding

extension LockFreeWeakArray {
  var current: SlotDirectory {
    // Sequentially consistent, as is every load of a structure under a pin; pairs with the
    // compare-exchange in `replaceRoot`.
    SlotDirectory(memory: root.load(ordering: .sequentiallyConsistent))
  }

  /// Claims the slot after `state` for `word` and carries out the slot's decision, even if another
  /// thread claimed the slot; returns whether this thread did.
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
    // Sequentially consistent: decides what follows `state`, and publishes the entry to the threads
    // that load the slot. A failure returns the decision of another thread, which may need help to
    // complete.
    let (isOurs, found) = tail.slots[state.position].compareExchange(
      expected: SlotWord.free.rawValue, desired: word.rawValue, ordering: .sequentiallyConsistent)
    if isOurs && word.isEntry {
      directory.advance(from: state, changingEntriesBy: 1)
      return true
    }
    let decided = isOurs ? word : SlotWord(rawValue: found)
    if !isOurs { CurrentThread.noteFailedCompareExchange() }
    settle(decided, in: directory, at: state, promoted: &promoted)
    return isOurs
  }

  /// Carries out the decision in `word`, the slot after `state`. Does nothing if another thread has
  /// done it.
  @inline(never)
  func settle(
    _ word: SlotWord, in directory: SlotDirectory, at state: SlotDirectory.State,
    promoted: inout PromotedObjects
  ) {
    switch word.meaning {
    case .free: fatalError("settle(_:in:at:promoted:) was called with a free slot")
    case .entry, .tombstone: directory.advance(from: state, changingEntriesBy: 1)
    case .removal(let position):
      placeTombstone(at: position, in: directory)
      directory.advance(from: state, changingEntriesBy: -1)
    case .closing(let closing): replace(directory, for: closing, promoted: &promoted)
    }
  }

  /// Replaces the entry at `position` with a tombstone.
  private func placeTombstone(at position: SlotPosition, in directory: SlotDirectory) {
    let word = directory[position]
    guard word.isEntry else { return }
    // Sequentially consistent: the linearization point of the removal, and the unlinking of the
    // entry that is retired.
    let (isOurs, _) = directory.segments[position.segment].slots[position.index].compareExchange(
      expected: word.rawValue, desired: SlotWord.tombstone.rawValue,
      ordering: .sequentiallyConsistent)
    guard isOurs else { return CurrentThread.noteFailedCompareExchange() }
    retire(word.rawValue)
  }

  private func retire(_ entry: UInt) {
    domain.retire(UnsafeMutableRawPointer(bitPattern: entry)!, as: WeakEntry<Element>.self)
  }

  /// Closes and replaces the current directory; returns the number of entries that its successor
  /// leaves out: the dead ones, or all for `.clearing`.
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

  /// Replaces `directory`, which is closed. When this returns, some thread has replaced it.
  @inline(never)
  private func replace(
    _ directory: SlotDirectory, for closing: SlotWord.Closing, promoted: inout PromotedObjects
  ) {
    if let successor = directory.successor { return replaceRoot(directory, with: successor) }
    var rebuild = SlotRebuild<Element>(of: directory)
    let proposal = rebuild.successor(for: closing, promoted: &promoted)
    let agreed = directory.agree(on: proposal)
    replaceRoot(directory, with: agreed)
    guard agreed == proposal else {
      for segment in rebuild.fresh { segment.deallocate() }
      return proposal.deallocate()
    }
    proposal.checkInvariants()
    domain.retire(directory.memory, as: SlotDirectory.self, byteCount: directory.byteCount)
    for segment in rebuild.replaced {
      domain.retire(segment.memory, as: SlotSegment.self, byteCount: segment.byteCount)
    }
    for entry in rebuild.dropped { retire(entry) }
  }

  /// Replaces the root with the successor of `directory`, unless the root has advanced already.
  private func replaceRoot(_ directory: SlotDirectory, with successor: SlotDirectory) {
    // Sequentially consistent: the linearization point of a compaction, and the unlinking of
    // everything that is then retired; publishes the new segments. No ABA: a directory does not
    // return while this thread is pinned.
    _ = root.compareExchange(
      expected: directory.memory, desired: successor.memory, ordering: .sequentiallyConsistent)
  }
}

// MARK: - Searching

extension LockFreeWeakArray {
  private enum Finding {
    case found(SlotPosition)
    /// At one moment the array did not contain the object.
    case absent
    /// The directory was replaced during the search: search again.
    case replaced
  }

  /// Decides the removal of the entry at `position`, the earliest of its object. Returns false if
  /// another thread has decided it, or if the directory is closed.
  private func remove(
    at position: SlotPosition, in directory: SlotDirectory, promoted: inout PromotedObjects
  ) -> Bool {
    repeat {
      let state = directory.state
      // Loaded after the state. If it is an entry now, no earlier decision removes it, because
      // those are done.
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
