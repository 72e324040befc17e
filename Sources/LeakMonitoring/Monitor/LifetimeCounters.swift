import Primitives
import WeakCollections

/// The lifetime counters of all classes with tokens, and of their groups.
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

  /// Returns the counter of a class, and creates it with the configuration of its first token.
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

  /// Returns the counter of a class; nil if the class has had no token.
  func counter(of type: AnyClass) -> LifetimeCounter? {
    classes.value(forKey: ObjectIdentifier(type))
  }

  func group(_ name: String) -> LifetimeGroup? {
    groups.read { $0[name] }
  }

  var all: [LifetimeCounter] { Array(classes.snapshot.values) }

  /// The number of the last snapshot; 0 before the first.
  // Relaxed, both: an instance that is created during a snapshot may count as older or as newer
  // than it.
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

/// The maximum numbers of live instances of a class and of its group.
public struct LifetimeConfiguration: Sendable, Equatable {
  /// The maximum for the class; nil for no limit.
  public var max: Int?
  /// The name of the group of the class; nil if it belongs to none.
  public var group: String?
  /// The maximum for all classes of the group together; nil for no limit.
  public var groupMax: Int?

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - max: The maximum for the class; nil for no limit.
  ///   - group: The name of the group of the class; nil if it belongs to none.
  ///   - groupMax: The maximum for all classes of the group together; nil for no limit.
  /// - Precondition: A configuration with a `groupMax` has a `group`.
  public init(max: Int? = 1, group: String? = nil, groupMax: Int? = nil) {
    guard groupMax == nil || group != nil else {
      fatalError("groupMax is \(groupMax ?? 0), but the group has no name; pass group: too")
    }
    self.max = max
    self.group = group
    self.groupMax = groupMax
  }
}

/// The birth of an instance, which a token counted.
struct LifetimeBirth: Sendable {
  let counter: LifetimeCounter
  /// The number of the last snapshot before the birth.
  let generation: Int
  /// The number of the instance's record; nil if it has none.
  let record: Int?

  /// Counts the death. Call it once.
  func noteDeath() {
    // Removes the record first, so that no report lists an instance that no longer counts.
    if let record { counter.records.remove(record) }
    counter.addDeath(generation: generation)
  }
}

/// The lifetime counter of one class with tokens.
///
/// It needs no list of instances to determine how many of them were alive at a snapshot:
///
/// 1. The *generation* of an instance is the number of the last snapshot before its birth.
/// 2. The instances alive at snapshot *n* and now are the live ones with a generation below *n*.
/// 3. Generation 0 has no count of its own: its count is the total minus the counts of the other
///    generations. So generations cost nothing in a program without snapshots.
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
  /// The live count of each generation except 0.
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

/// The lifetime counter of all classes of a group.
final class LifetimeGroup: Sendable {
  let name: String
  /// The maximum number of live instances; nil for no limit.
  let max: Int?
  let count = BirthCount()
  /// The history of the count. The records of the instances belong to their classes.
  let records = InstanceRecords()

  init(_ name: String, max: Int?) {
    self.name = name
    self.max = max
  }
}

/// The numbers of births and deaths, and the live count that they imply.
struct BirthCount: ~Copyable, Sendable {
  private let births = Atomic<Int>(0)
  private let deaths = Atomic<Int>(0)

  /// Counts a birth; returns its number, from 1, and the live count including it.
  ///
  /// An instance that is created and deallocated during the call may count only as a death, which
  /// lowers the live count by one.
  func addBirth() -> (number: Int, liveCount: Int) {
    // Relaxed, both: the counts order no other memory, and all threads see the additions to one
    // variable in one order. A death that this load does not see yet makes the count larger, as if
    // the instance died later.
    let number = births.wrappingAdd(1, ordering: .relaxed).newValue
    return (number, number - deaths.load(ordering: .relaxed))
  }

  func addDeath() {
    // Releasing; pairs with the acquiring loads in `liveCount`: a reader that sees the death also
    // sees the birth.
    deaths.wrappingAdd(1, ordering: .releasing)
  }

  /// The number of births.
  // Relaxed: the number is only displayed.
  var total: Int { births.load(ordering: .relaxed) }

  /// The live count at one moment of the call.
  ///
  /// If instances die during each of eight attempts to read both numbers, the result is only a
  /// lower bound: it is between 0 and the live count at one moment of the call.
  var liveCount: Int {
    // Acquiring; pairs with `addDeath`: the births read below include the birth of each death.
    var dead = deaths.load(ordering: .acquiring)
    for _ in 0..<8 {
      // Acquiring, so that the load of the deaths below comes after this one: if the number of
      // deaths is unchanged, both numbers belong to one moment.
      let born = births.load(ordering: .acquiring)
      let deadNow = deaths.load(ordering: .acquiring)
      if deadNow == dead { return born - dead }
      dead = deadNow
    }
    // Loads the births first, so that an instance that is created and deallocated between the two
    // loads counts only as a death: the result is never too large.
    let born = births.load(ordering: .acquiring)
    return max(0, born - deaths.load(ordering: .acquiring))
  }
}
