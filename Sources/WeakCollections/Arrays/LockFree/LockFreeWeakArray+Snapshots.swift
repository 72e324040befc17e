// A snapshot must consist of the live entries of one moment. It loads the state, promotes the
// entries before the position, and loads the slot at the position again. If that slot is still
// free, nothing was decided after the load of the state. So at this moment the array contains
// exactly the entries that were read. The promoted objects are alive, because the snapshot retains
// them; the objects that could not be promoted were dead before and stay dead. The same holds if
// the slot is closed and the directory is still current.
//
// Otherwise something was decided. The snapshot then discards its elements and reads the array a
// second time (`followedAll`). Now it remembers the slot of each element, so that it can keep its
// elements after later decisions: it reads the entries that were appended, and looks for another
// moment as above. Entries that it read earlier may have been removed before that moment, so it
// loads their slots again. A slot that still contains its entry contained it at that moment,
// because a removed entry never returns to a slot. If all slots still contain their entries, the
// moment is found. Otherwise the snapshot drops the removed entries and looks for another moment.
// Such a retry costs only the loads of the slots, and is caused by a removal during these loads.
//
// If the directory is replaced, the snapshot reads the successor from the beginning, in another
// pin. Between the pins it releases what it promoted. Otherwise it would keep alive every object
// that it has seen. While others append and compact, the array would grow, and each attempt would
// take longer and be disturbed more often.
//
// `forEach` and `count` try the first path, and call `all` if something was decided.

import EpochReclamation
import Primitives
import WeakReferences

extension LockFreeWeakArray {
  /// The live elements in order. Lock-free.
  public var all: [Element] {
    undisturbedAll() ?? followedAll()
  }

  /// Calls `body` with each element of a snapshot, in order, outside the pin.
  public func forEach<F: Error>(_ body: (Element) throws(F) -> Void) throws(F) {
    var isSnapshot = false
    let elements = domain.pin {
      let directory = current
      let state = directory.state
      let elements = PromotedElements<Element>(capacity: state.entryCount) {
        promoteAll(in: directory, at: state, to: $0)
      }
      isSnapshot = isCurrent(directory, at: state)
      return elements
    }
    if isSnapshot { try elements.visit(body) } else { try all.visit(body) }
  }

  /// The number of live elements, counted without promoting them if weak slots allow that.
  public var count: Int {
    var promoted = PromotedObjects()  // Declared outside the pin, so that it is released there.
    var isSnapshot = false
    let count = domain.pin {
      let directory = current
      let state = directory.state
      let count = liveCount(in: directory, at: state, promoted: &promoted)
      isSnapshot = isCurrent(directory, at: state)
      return count
    }
    return isSnapshot ? count : all.count
  }

  /// Returns a snapshot, or `nil` if something was decided meanwhile.
  @inline(__always)
  private func undisturbedAll() -> [Element]? {
    var isSnapshot = false
    let elements = domain.pin {
      let directory = current
      let state = directory.state
      let elements = [Element](capacity: state.entryCount) { elements, count in
        count = promoteAll(in: directory, at: state, to: elements)
      }
      isSnapshot = isCurrent(directory, at: state)
      return elements
    }
    return isSnapshot ? elements : nil
  }

  /// The second check: returns whether `state`, which was loaded from `directory`, is still the
  /// state of the array.
  private func isCurrent(_ directory: SlotDirectory, at state: SlotDirectory.State) -> Bool {
    switch directory.next(after: state) {
    case .free: return true
    case .closed: return current == directory
    case .filled: return false
    }
  }

  /// Returns the number of live objects of the entries before the position. It is exact at one
  /// moment if nothing is decided during the call: see `countAtOneMoment`.
  private func liveCount(
    in directory: SlotDirectory, at state: SlotDirectory.State, promoted: inout PromotedObjects
  ) -> Int {
    countAtOneMoment(of: state.entryCount) {
      var live = 0
      for (index, segment) in directory.segments.enumerated() {
        for slot in 0..<directory.filledCount(ofSegment: index, at: state) {
          let word = segment[slot]
          if word.isEntry && !WeakEntry<Element>.isDead(word.rawValue, promoted: &promoted) {
            live += 1
          }
        }
      }
      return live
    }
  }

  /// Promotes the entries before the position into memory that has room for the entries of `state`;
  /// returns the number of promoted elements.
  @inline(__always)
  private func promoteAll(
    in directory: SlotDirectory, at state: SlotDirectory.State,
    to elements: UnsafeMutablePointer<Element>
  ) -> Int {
    // The slots never contain more entries than the state counts.
    var count = 0
    for (index, segment) in directory.segments.enumerated() {
      for slot in 0..<directory.filledCount(ofSegment: index, at: state) {
        let word = segment[slot]
        if word.isEntry && WeakEntry<Element>.promote(word.rawValue, to: elements + count) {
          count += 1
        }
      }
    }
    return count
  }

  /// Returns a snapshot that keeps its elements after each decision and starts again only if the
  /// directory is replaced.
  @inline(never)
  private func followedAll() -> [Element] {
    while true {
      // Declared outside the pin, so that they are released there, before the next attempt.
      var promoted = PromotedObjects()
      var rejected: [Element] = []
      let elements = domain.pin { () -> [Element]? in
        let directory = current
        var walk = SlotWalk<Element>()
        for segment in directory.segments.dropLast() { walk.add(segment, 0..<segment.capacity) }
        if follow(directory, &walk, &promoted, &rejected) { return walk.elements }
        rejected += walk.elements
        return nil
      }
      if let elements { return elements }
    }
  }

  /// Extends `walk`, which has read all segments except the tail, to the array at one moment;
  /// returns false if the directory is replaced first.
  private func follow(
    _ directory: SlotDirectory, _ walk: inout SlotWalk<Element>, _ promoted: inout PromotedObjects,
    _ rejected: inout [Element]
  ) -> Bool {
    var walkedCount = 0
    while true {
      let state = directory.state
      walk.add(directory.tail, walkedCount..<state.position)
      walkedCount = state.position
      switch directory.next(after: state) {
      case .filled(let word): settle(word, in: directory, at: state, promoted: &promoted)
      case .closed where current != directory: return false
      default: if !walk.dropRemoved(into: &rejected) { return true }
      }
    }
  }
}

/// Promoted elements, each with its slot.
private struct SlotWalk<Element> {
  private struct Find {
    let slot: UnsafeMutablePointer<SlotSegment.Slot>
    let word: UInt
  }

  private(set) var elements: [Element] = []
  private var finds: [Find] = []

  mutating func add(_ segment: SlotSegment, _ range: Range<Int>) {
    for index in range {
      let word = segment[index]
      guard word.isEntry, let element = WeakEntry<Element>.promote(word.rawValue) else { continue }
      elements.append(element)
      finds.append(Find(slot: segment.slots + index, word: word.rawValue))
    }
  }

  /// Transfers the elements whose slots no longer contain their entries to `rejected`; returns
  /// whether there were any.
  mutating func dropRemoved(into rejected: inout [Element]) -> Bool {
    let removed = finds.indices.filter { index in
      // Sequentially consistent, as is every load of a structure under a pin; pairs with the
      // compare-exchange that installs a tombstone.
      finds[index].slot.pointee.load(ordering: .sequentiallyConsistent) != finds[index].word
    }
    for index in removed.reversed() {
      rejected.append(elements.remove(at: index))
      finds.remove(at: index)
    }
    return !removed.isEmpty
  }
}
