import WeakCollections

/// The instances of one class that lived when last looked at, each once.
///
/// Not for several threads at once. Promoted references may be the last by the time they are let go, and
/// their release then runs a `deinit`; so they go to `promoted`, which the caller lets go outside its
/// exclusion.
final class Roster {
  /// An address that a dead instance had may be a living one's; its entry is then the living one's.
  private var references: [ObjectIdentifier: WeakReference<AnyObject>] = [:]

  /// Enters `object` unless it is entered; returns how many live if there are more than `max`, else nil.
  func add(_ object: AnyObject, max: Int, promoted: inout [AnyObject]) -> Int? {
    let address = ObjectIdentifier(object)
    if references[address]?.refers(to: object) != true {
      references[address] = WeakReference(object)
    }
    // No more entries than allowed are no more living ones either: nobody has to be asked.
    guard references.count > max else { return nil }
    let liveCount = compact(promoted: &promoted)
    return liveCount > max ? liveCount : nil
  }

  /// Removes the entries whose object is gone; returns how many live.
  func compact(promoted: inout [AnyObject]) -> Int {
    references = references.filter { entry in
      guard let object = entry.value.promote() else { return false }
      promoted.append(object)
      return true
    }
    return references.count
  }
}

// @unchecked: a ledger uses a roster only inside the exclusion of its class.
extension Roster: @unchecked Sendable {}
