import WeakCollections

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
