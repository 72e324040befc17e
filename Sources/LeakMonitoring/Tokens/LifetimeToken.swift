/// A stored property that counts the live instances of its class.
///
/// ```swift
/// final class Player {
///   private let lifetime = LifetimeToken(of: Player.self, max: 2)
/// }
/// ```
///
/// A token requires no change to an initializer, and does not refer to its object. Swift creates
/// and destroys it with the other stored properties, on the same threads. It works in final and
/// generic classes, in actors and in classes of global actors.
///
/// - A base class that counts its subclasses separately creates the token in its initializer,
///   where the class is known: `lifetime = LifetimeToken(of: Self.self)`.
/// - A `Codable` class lists the keys of its other properties in an explicit `CodingKeys`.
/// - Tokens and validated instances are counted separately: with a maximum in both, the monitor
///   reports an excess twice.
///
/// A token belongs to the monitor that is `current` where it is created. In that monitor, the first
/// token of a class fixes the maximum and the group of the class, and the first token of a group
/// fixes the maximum of the group. A token counts nothing if `MemoryLeakMonitor.isEnabled` is false
/// at its creation.
public struct LifetimeToken: ~Copyable, Sendable {
  /// Nil if `MemoryLeakMonitor.isEnabled` was false at the creation.
  private let birth: LifetimeBirth?

  /// Counts an instance of `type`, and reports if more are alive than `configuration` allows.
  ///
  /// The monitor reports an excess immediately, or after a grace period if its `policy` has one.
  ///
  /// - Parameters:
  ///   - type: The class of the instance.
  ///   - configuration: The limits of the class and its group. Only the first token of the class in
  ///     the monitor evaluates it.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Complexity: O(1) while at most the allowed number is alive.
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

  /// Counts an instance of `type` without a group, and reports if more than `max` are alive.
  ///
  /// - Parameters:
  ///   - type: The class of the instance.
  ///   - max: The maximum number of live instances; nil for no limit.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
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

extension MemoryLeakMonitor {
  /// Returns the number of live instances of exactly this class that have a `LifetimeToken` in this
  /// monitor.
  ///
  /// - Complexity: O(1).
  public func lifetimeCount(of type: AnyClass) -> Int {
    observations.lifetimes.counter(of: type)?.count.liveCount ?? 0
  }

  /// Returns the number of live instances of all classes of a group; 0 for an unknown group.
  ///
  /// - Complexity: O(1).
  public func lifetimeCount(ofGroup name: String) -> Int {
    observations.lifetimes.group(name)?.count.liveCount ?? 0
  }

  /// Counts an instance that is being created, and reports if it is in excess.
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

  /// Reports an excess immediately, or begins a check.
  ///
  /// - Parameter group: The group with the excess; nil if the class has the excess.
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
      // Looks the counter up each time, because `removeAll` forgets counters.
      count: { [lifetimes = observations.lifetimes] _ in
        let count =
          if let group { lifetimes.group(group.name)?.count.liveCount } else {
            lifetimes.counter(of: counter.type)?.count.liveCount
          }
        return count ?? 0
      })
  }
}
