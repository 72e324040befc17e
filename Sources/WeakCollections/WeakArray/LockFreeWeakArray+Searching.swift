import EpochReclamation
import Primitives
import WeakReferences

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
