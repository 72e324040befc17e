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
// a closed directory still. For snapshots see `LockFreeWeakArray+Snapshot.swift`.
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
