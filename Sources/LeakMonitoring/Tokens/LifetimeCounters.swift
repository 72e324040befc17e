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

/// The instances of one class that have tokens.
///
/// Which of them were alive at a snapshot is known without a list of them. Each has the number of the last
/// snapshot before its birth, its *generation*: what was alive at snapshot *n* and lives now is what lives
/// now and has a generation below *n*. Of generation 0 no count is kept: it is what the others leave. So
/// a program that makes no snapshots pays nothing for them.
final class LifetimeCounter: Sendable {
  /// What a birth finds: its number, from 1, and how many of the class and of its group live then.
  typealias Counts = (number: Int, liveCount: Int, groupCount: Int?)

  let type: AnyClass
  /// How many may live; nil for any number.
  let max: Int?
  let group: LifetimeGroup?
  let count = BirthCount()
  let records = InstanceRecords()
  private let events: EventChannel
  private let clock: PollingClock
  /// How many live of each generation but 0.
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

  /// Returns what the class and its group count then.
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

  /// How many live by generation; exact while none is born or dies.
  var liveCounts: [Int: Int] {
    var counts = generations.read { copy $0 }
    counts[0] = Swift.max(0, count.liveCount - counts.values.reduce(0, +))
    return counts
  }
}

/// The instances of all classes of a group.
final class LifetimeGroup: Sendable {
  let name: String
  /// How many may live; nil for any number.
  let max: Int?
  let count = BirthCount()
  /// For the history of the count: instances are in the records of their classes.
  let records = InstanceRecords()

  init(_ name: String, max: Int?) {
    self.name = name
    self.max = max
  }
}

/// How many were born and how many died.
struct BirthCount: ~Copyable, Sendable {
  private let births = Atomic<Int>(0)
  private let deaths = Atomic<Int>(0)

  /// Returns the number of the birth, from 1, and how many live then, itself included; fewer by those that
  /// were born and died during the call.
  func addBirth() -> (number: Int, liveCount: Int) {
    // Relaxed, both: the counts order nothing else. The additions to one variable have one order; deaths
    // that are not seen yet only make the number greater, as if they came later.
    let number = births.wrappingAdd(1, ordering: .relaxed).newValue
    return (number, number - deaths.load(ordering: .relaxed))
  }

  func addDeath() {
    // Releasing; pairs with `liveCount`, so that who sees the death sees the birth.
    deaths.wrappingAdd(1, ordering: .releasing)
  }

  /// How many were born.
  // Relaxed: a figure for people.
  var total: Int { births.load(ordering: .relaxed) }

  /// As many as lived at one moment of the call, unless something died at each of many looks; then no fewer
  /// than 0 and no more than lived at one moment.
  var liveCount: Int {
    // Acquiring; pairs with `addDeath`: the births of the dead that are counted are counted too.
    var dead = deaths.load(ordering: .acquiring)
    for _ in 0..<8 {
      // Acquiring, so that the deaths below are read after it: none between means that both are of one moment.
      let born = births.load(ordering: .acquiring)
      let deadNow = deaths.load(ordering: .acquiring)
      if deadNow == dead { return born - dead }
      dead = deadNow
    }
    // Births first: of what was born meanwhile and died, only the death counts.
    let born = births.load(ordering: .acquiring)
    return max(0, born - deaths.load(ordering: .acquiring))
  }
}
