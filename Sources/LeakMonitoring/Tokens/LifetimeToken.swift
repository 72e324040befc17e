/// Counts the instances of a class from initialization to deallocation, as a stored property of
/// each.
///
/// ```swift
/// final class Player {
///   private let lifetime = LifetimeToken(of: Player.self, max: 2)
/// }
/// ```
///
/// It needs no change to an initializer and refers to no object: the token is created and destroyed
/// with the other stored properties, on the same threads. It works in final and generic classes, in
/// actors and in classes of global actors.
///
/// - A base class that counts its subclasses separately creates the token in its initializer,
///   where the class is known: `lifetime = LifetimeToken(of: Self.self)`.
/// - A `Codable` class lists the keys of its other properties in an explicit `CodingKeys`.
/// - Tokens and validated instances are counted separately: with a maximum in both, an excess is
///   reported twice.
///
/// A token belongs to the monitor that was `current` where it was created. The first token of a
/// class fixes the maximum and the group of the class there, and the first of a group those of the
/// group. Nothing is counted while monitors are off.
public struct LifetimeToken: ~Copyable, Sendable {
  /// Nil if monitors were off.
  private let birth: LifetimeBirth?

  /// Counts an instance of `type`. Reports if more are alive than `configuration` allows:
  /// immediately, or after a grace period if the monitor's `policy` has one.
  ///
  /// - Complexity: O(1) while no more are alive than allowed.
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

  /// Counts an instance of `type`, which belongs to no group.
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
  /// Returns the number of live instances of exactly this class with a `LifetimeToken` of this
  /// monitor.
  ///
  /// - Complexity: O(1).
  public func lifetimeCount(of type: AnyClass) -> Int {
    observations.lifetimes.counter(of: type)?.count.liveCount ?? 0
  }

  /// Returns the number of live instances of all classes of a group.
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

  /// - Parameter group: The group of the class, if the group has the excess.
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
      // Looked up each time: `removeAll` forgets counters.
      count: { [lifetimes = observations.lifetimes] _ in
        let count =
          if let group { lifetimes.group(group.name)?.count.liveCount } else {
            lifetimes.counter(of: counter.type)?.count.liveCount
          }
        return count ?? 0
      })
  }
}
