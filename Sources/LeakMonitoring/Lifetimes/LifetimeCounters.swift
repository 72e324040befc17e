import Primitives
import WeakCollections

/// The counters of all classes that have tokens, and of their groups.
final class LifetimeCounters: Sendable {
  private let classes = LockFreeDictionary<ObjectIdentifier, LifetimeCounter>()
  private let groups = MutexLock<[String: LifetimeGroup]>([:])
  private let snapshots = Atomic<Int>(0)
  private let events: EventChannel
  private let clock: PollingClock

  init(events: EventChannel, clock: PollingClock) {
    self.events = events
    self.clock = clock
  }

  /// The counter of a class, as configured by whoever comes first.
  func counter(of type: AnyClass, _ configuration: () -> LifetimeConfiguration) -> LifetimeCounter {
    let identifier = ObjectIdentifier(type)
    if let counter = classes.value(forKey: identifier) { return counter }
    let configuration = configuration()
    let group = configuration.group.map { enter($0, max: configuration.groupMax) }
    return classes.value(
      forKey: identifier,
      orInsert: {
        LifetimeCounter(
          of: type, max: configuration.max, group: group, events: events, clock: clock)
      })
  }

  /// The counter of a class that has had tokens.
  func counter(of type: AnyClass) -> LifetimeCounter? {
    classes.value(forKey: ObjectIdentifier(type))
  }

  func group(_ name: String) -> LifetimeGroup? {
    groups.read { $0[name] }
  }

  var all: [LifetimeCounter] { Array(classes.snapshot.values) }

  /// The number of the last snapshot, 0 before the first.
  // Relaxed, both: who is born while a snapshot is made may belong before it or after it.
  var generation: Int { snapshots.load(ordering: .relaxed) }

  func beginGeneration() -> Int {
    snapshots.wrappingAdd(1, ordering: .relaxed).newValue
  }

  func removeAll() {
    classes.removeAll()
    // Released outside the lock.
    _ = groups.write { groups in
      let old = groups
      groups = [:]
      return old
    }
  }

  private func enter(_ name: String, max: Int?) -> LifetimeGroup {
    groups.write { groups in
      if let group = groups[name] { return group }
      let group = LifetimeGroup(name, max: max)
      groups[name] = group
      return group
    }
  }
}
