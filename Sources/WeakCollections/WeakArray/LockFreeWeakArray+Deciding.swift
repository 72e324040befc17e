import EpochReclamation
import Primitives
import WeakReferences

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
