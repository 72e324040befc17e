import Primitives
import WeakCollections

/// The counters of all classes with tokens, and of their groups.
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

  /// Returns the counter of a class, with the configuration of its first token.
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

  /// Returns the counter of a class; nil if it has had no token.
  func counter(of type: AnyClass) -> LifetimeCounter? {
    classes.value(forKey: ObjectIdentifier(type))
  }

  func group(_ name: String) -> LifetimeGroup? {
    groups.read { $0[name] }
  }

  var all: [LifetimeCounter] { Array(classes.snapshot.values) }

  /// The number of the last snapshot, 0 before the first.
  // Relaxed, both: an instance created during a snapshot may belong before or after it.
  var generation: Int { snapshots.load(ordering: .relaxed) }

  func beginGeneration() -> Int {
    snapshots.wrappingAdd(1, ordering: .relaxed).newValue
  }

  func removeAll() {
    classes.removeAll()
    // The closure returns the old groups, so that they are released outside the lock.
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

/// The maximum numbers of live instances of a class, and of a group of classes.
public struct LifetimeConfiguration: Sendable, Equatable {
  /// The maximum for the class; nil for no limit.
  public var max: Int?
  /// The name of the group of the class, if it belongs to one.
  public var group: String?
  /// The maximum for all classes of the group together; nil for no limit.
  public var groupMax: Int?

  /// Creates a configuration; traps if it has a maximum for a group but no group.
  public init(max: Int? = 1, group: String? = nil, groupMax: Int? = nil) {
    precondition(groupMax == nil || group != nil, "expected the name of the group with its maximum")
    self.max = max
    self.group = group
    self.groupMax = groupMax
  }
}

/// The birth that a token counted.
struct LifetimeBirth: Sendable {
  let counter: LifetimeCounter
  /// The number of the last snapshot before it.
  let generation: Int
  /// The number of the instance's record; nil if it has none.
  let record: Int?

  /// Counts the death. Call it once.
  func noteDeath() {
    // First, so that no report lists an instance that no longer counts.
    if let record { counter.records.remove(record) }
    counter.addDeath(generation: generation)
  }
}

/// Counts the instances of one class with tokens.
///
/// It knows which of them were alive at a snapshot without a list of instances:
///
/// 1. The *generation* of an instance is the number of the last snapshot before its birth.
/// 2. The instances alive at snapshot *n* and now are the live ones with a generation below *n*.
/// 3. Generation 0 has no count of its own: it is the difference between all and the others. So
///    a program without snapshots pays nothing for them.
final class LifetimeCounter: Sendable {
  /// The result of a birth: its number, from 1, and the live counts of the class and of its group.
  typealias Counts = (number: Int, liveCount: Int, groupCount: Int?)

  let type: AnyClass
  /// The maximum number of live instances; nil for no limit.
  let max: Int?
  let group: LifetimeGroup?
  let count = BirthCount()
  let records = InstanceRecords()
  private let events: EventChannel
  private let clock: PollingClock
  /// The live count of each generation but 0.
  private let generations = MutexLock<[Int: Int]>([:])

  init(
    of type: AnyClass, max: Int?, group: LifetimeGroup?, events: EventChannel, clock: PollingClock
  ) {
    self.type = type
    self.max = max
    self.group = group
    self.events = events
    self.clock = clock
  }

  /// Counts a birth; returns the counts of the class and its group.
  func addBirth(generation: Int) -> Counts {
    if generation > 0 { generations.write { $0[generation, default: 0] += 1 } }
    let (number, liveCount) = count.addBirth()
    let groupCount = group?.count.addBirth().liveCount
    events.send { .born(type, at: clock.now()) }
    return (number, liveCount, groupCount)
  }

  func addDeath(generation: Int) {
    if generation > 0 {
      generations.write { $0[generation] = $0[generation] == 1 ? nil : $0[generation]! - 1 }
    }
    count.addDeath()
    group?.count.addDeath()
    events.send { .died(type, at: clock.now()) }
  }

  /// The live count of each generation; exact while no instance is created or deallocated.
  var liveCounts: [Int: Int] {
    var counts = generations.read { copy $0 }
    counts[0] = Swift.max(0, count.liveCount - counts.values.reduce(0, +))
    return counts
  }
}

/// Counts the instances of all classes of a group.
final class LifetimeGroup: Sendable {
  let name: String
  /// The maximum number of live instances; nil for no limit.
  let max: Int?
  let count = BirthCount()
  /// Holds the history of the count; the instances are in the records of their classes.
  let records = InstanceRecords()

  init(_ name: String, max: Int?) {
    self.name = name
    self.max = max
  }
}

/// The number of births and deaths.
struct BirthCount: ~Copyable, Sendable {
  private let births = Atomic<Int>(0)
  private let deaths = Atomic<Int>(0)

  /// Counts a birth; returns its number, from 1, and the live count including it. The live count
  /// excludes instances that were created and deallocated during the call.
  func addBirth() -> (number: Int, liveCount: Int) {
    // Relaxed, both: the counts order nothing else. The additions to one variable have one order; a
    // death that is not visible yet only makes the count larger, as if it came later.
    let number = births.wrappingAdd(1, ordering: .relaxed).newValue
    return (number, number - deaths.load(ordering: .relaxed))
  }

  func addDeath() {
    // Releasing; pairs with the acquiring loads in `liveCount`: a reader that sees the death sees
    // the birth.
    deaths.wrappingAdd(1, ordering: .releasing)
  }

  /// The number of births.
  // Relaxed: a figure for people.
  var total: Int { births.load(ordering: .relaxed) }

  /// The live count at one moment of the call. If an instance died during each of many attempts, at
  /// least 0 and at most the live count at one moment.
  var liveCount: Int {
    // Acquiring; pairs with `addDeath`: every counted death has its birth counted too.
    var dead = deaths.load(ordering: .acquiring)
    for _ in 0..<8 {
      // Acquiring, so that the deaths below are read after it: an equal count means that both are
      // of one moment.
      let born = births.load(ordering: .acquiring)
      let deadNow = deaths.load(ordering: .acquiring)
      if deadNow == dead { return born - dead }
      dead = deadNow
    }
    // Births first: of an instance created and deallocated meanwhile, only the death counts.
    let born = births.load(ordering: .acquiring)
    return max(0, born - deaths.load(ordering: .acquiring))
  }
}
