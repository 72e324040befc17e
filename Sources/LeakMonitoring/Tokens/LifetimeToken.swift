/// Counts the instances of a class from birth to death, by being stored in them.
///
/// ```swift
/// final class Player {
///   private let lifetime = LifetimeToken(of: Player.self, max: 2)
/// }
/// ```
///
/// No initialiser is edited and no object referred to: the token is made with its object's stored
/// properties and dies with them, on the same threads. It serves final and generic classes, actors and
/// classes of global actors alike.
///
/// - A base class whose subclasses shall be told apart makes it in its initialiser, where the class is
///   known: `lifetime = LifetimeToken(of: Self.self)`.
/// - A `Codable` class lists the keys of its other properties in an explicit `CodingKeys`, without it.
/// - What is counted here is counted apart from what is validated: with a maximum in both, too many are
///   reported twice.
///
/// A token belongs to the monitor that was the current one where it was made. The first token of a class
/// decides there what the class's maximum and group are, the first of a group the group's. Nothing is
/// counted while monitors are off.
public struct LifetimeToken: ~Copyable, Sendable {
  /// Nil if monitors were off.
  private let birth: LifetimeBirth?

  /// Notes that an instance of `type` is born. Reports at once, or after a grace period where the
  /// monitor's `policy` says so, if more live than `configuration` allows.
  ///
  /// - Complexity: O(1) while not too many live. The row `a token` of `scripts/limits` measures it.
  public init<Object: AnyObject>(
    of type: Object.Type, _ configuration: @autoclosure () -> LifetimeConfiguration,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    guard MemoryLeakMonitor.isEnabled else {
      birth = nil
      return
    }
    birth = MemoryLeakMonitor.current.noteBirth(
      of: type, configuration,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The same for a class of no group.
  public init<Object: AnyObject>(
    of type: Object.Type, max: Int? = 1, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      of: type, LifetimeConfiguration(max: max), fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  deinit { birth?.noteDeath() }
}

/// How many instances of a class, and of a group of classes, may live at once.
public struct LifetimeConfiguration: Sendable, Equatable {
  /// For the class alone; nil for any number.
  public var max: Int?
  /// The name of the group that the class belongs to, if any.
  public var group: String?
  /// For all classes of the group together; nil for any number.
  public var groupMax: Int?

  /// Traps if there is a maximum for a group and no group.
  public init(max: Int? = 1, group: String? = nil, groupMax: Int? = nil) {
    precondition(groupMax == nil || group != nil, "expected the name of the group with its maximum")
    self.max = max
    self.group = group
    self.groupMax = groupMax
  }
}

/// What a token knows of the birth it noted.
struct LifetimeBirth: Sendable {
  let counter: LifetimeCounter
  /// The number of the last snapshot before it.
  let generation: Int
  /// The number of its record; nil if it has none.
  let record: Int?

  /// To be called once.
  func noteDeath() {
    // First, so that no report lists what no longer counts.
    if let record { counter.records.remove(record) }
    counter.addDeath(generation: generation)
  }
}

extension MemoryLeakMonitor {
  /// How many instances of exactly this class live that have a `LifetimeToken` of this monitor.
  ///
  /// - Complexity: O(1).
  public func lifetimeCount(of type: AnyClass) -> Int {
    observations.lifetimes.counter(of: type)?.count.liveCount ?? 0
  }

  /// How many instances of the classes of a group live.
  ///
  /// - Complexity: O(1).
  public func lifetimeCount(ofGroup name: String) -> Int {
    observations.lifetimes.group(name)?.count.liveCount ?? 0
  }

  /// Counts an instance that is being made, and reports if it is one too many.
  func noteBirth(
    of type: AnyClass, _ configuration: () -> LifetimeConfiguration, at site: CallSite
  ) -> LifetimeBirth {
    let (birth, counts) = observations.noteBirth(of: type, configuration, at: site)
    let counter = birth.counter
    if let max = counter.max, counts.liveCount > max {
      noteExcess(of: counter, group: nil, liveCount: counts.liveCount, max: max, at: site)
    }
    if let group = counter.group, let max = group.max, let liveCount = counts.groupCount,
      liveCount > max
    {
      noteExcess(of: counter, group: group, liveCount: liveCount, max: max, at: site)
    }
    return birth
  }

  /// - Parameter group: the group of the class, if it is its instances that are too many.
  private func noteExcess(
    of counter: LifetimeCounter, group: LifetimeGroup?, liveCount: Int, max: Int, at site: CallSite
  ) {
    let grace = policy.grace
    var report = LeakReport(
      finding: .excess(after: grace), typeName: TypeName.stable(counter.type),
      description: TypeName.short(counter.type), liveCount: liveCount, max: max, site: site,
      group: group?.name)
    report.subject = observations.subject(counter, group: group)
    noteExcess(
      report, of: group.map { ObjectIdentifier($0) } ?? ObjectIdentifier(counter.type),
      suspicions: observations.suspicions, grace: grace,
      // Looked up each time: what `removeAll` forgets is counted no more.
      count: { [lifetimes = observations.lifetimes] _ in
        let count =
          if let group { lifetimes.group(group.name)?.count.liveCount } else {
            lifetimes.counter(of: counter.type)?.count.liveCount
          }
        return count ?? 0
      })
  }
}
