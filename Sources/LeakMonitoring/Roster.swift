import WeakCollections

/// The instances of one class, each once: a weak set that threads share.
final class Roster<Instances: SynchronousWeakSet<AnyObject>> {
  let type: AnyClass
  private let instances = Instances()

  init(of type: AnyClass) {
    self.type = type
  }

  /// Enters `object` unless it is entered; returns how many live if there are more than `max`, else nil.
  ///
  /// While none of them dies, threads that add at once get numbers of their own: those of the entries.
  func add(_ object: AnyObject, max: Int) -> Int? {
    // What died before the call is not to be counted.
    if instances.entryCount >= max { instances.compact() }
    let entries = instances.insert(object).entries
    // No more entries than allowed are no more living ones either: nobody has to be asked.
    guard entries > max else { return nil }
    // Some of the entries may have died during the call, and others come after `object`.
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
}

// @unchecked: the set is made for several threads; its objects need not be, and are only counted.
extension Roster: @unchecked Sendable {}
