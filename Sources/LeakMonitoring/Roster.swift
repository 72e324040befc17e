import Primitives
import WeakCollections

/// The instances of one class, each once: a weak set that threads share.
final class Roster<Instances: SynchronousWeakSet<AnyObject>> {
  let type: AnyClass
  private let instances = Instances()
  private let additions = Atomic<Int>(0)

  init(of type: AnyClass) {
    self.type = type
  }

  /// Enters `object` unless it is entered; returns how many live if there are more than `max`, else nil.
  ///
  /// While none of the entered is dead or dies, threads that add at once get numbers of their own: those of the
  /// entries.
  ///
  /// - Complexity: O(1) amortised while there are no more than `max` entries. Above, as many looks as find that
  ///   the living are no more than `max`: O(*n* / (dead + 1)) on average; O(*n*) if they are more.
  func add(_ object: AnyObject, max: Int) -> Int? {
    let entries = instances.insert(object).entries
    // No more entries than allowed are no more living ones either: nobody has to be asked.
    return entries > max ? excess(of: entries, over: max) : nil
  }

  private func excess(of entries: Int, over max: Int) -> Int? {
    instances.compact(atLeast: entries - Swift.max(0, max))
    // `object` is among them, so that at this moment no more than `max` live. Not asked of what was removed: that
    // may have come after it, and then says nothing of those that were there before.
    guard instances.entryCount > max else { return nil }
    // All were looked at and lived, or others come meanwhile: then the living decide, not the entries. Of the
    // entries some may have died during the call, and of the living some may have come after `object`.
    let liveCount = min(entries, instances.count)
    return liveCount > max ? liveCount : nil
  }

  func remove(_ object: AnyObject) { instances.remove(object) }

  func contains(_ object: AnyObject) -> Bool { instances.contains(object) }

  /// How many live.
  var liveCount: Int {
    instances.compact()
    return instances.count
  }

  /// How many are entered, the unnoticed dead included.
  var entryCount: Int { instances.entryCount }

  /// Removes the dead.
  func compact() { instances.compact() }

  /// Counts an addition; returns whether it is the last of `every`, as far as it is known.
  func noteAddition(every: Int) -> Bool {
    // Relaxed, and not one operation: nothing is read through it, and of additions at once some may be missed,
    // which only puts off what is due.
    let next = additions.load(ordering: .relaxed) &+ 1
    additions.store(next, ordering: .relaxed)
    return next % every == 0
  }
}

// @unchecked: the set is made for several threads; its objects need not be, and are only counted.
extension Roster: @unchecked Sendable {}
