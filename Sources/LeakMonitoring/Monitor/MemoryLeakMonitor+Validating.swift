/// An object whose class limits the number of its live instances.
///
/// ```swift
/// final class Session: MemoryLeakMonitorable {
///   init() { MemoryLeakMonitor.validate(self) }
/// }
/// ```
///
/// Only `validate` reads the two requirements, in the isolation of its caller: an actor declares
/// its own as `nonisolated`. A subclass can override only what its base class declares: a base
/// class whose subclasses have their own `max` declares `var max: Int { 1 }` itself.
public protocol MemoryLeakMonitorable: AnyObject {
  /// The maximum number of live instances of exactly this class; 1 by default.
  var max: Int { get }

  /// The name of the instance in reports; the class's name by default. It does not affect the
  /// counts, which are by class.
  var description: String { get }
}

extension MemoryLeakMonitorable {
  public var max: Int { 1 }

  public var description: String { TypeName.short(type(of: self as AnyObject)) }
}

/// When `validate` reports an excess, unless its own `grace` says.
public enum LeakPolicy: Sendable, Equatable {
  /// Immediately. An instance that is about to be released counts: in `x = C()` the old one is
  /// still alive while the new one is initialized.
  case immediate

  /// If there are still too many at the end of a grace period: see `MemoryLeakMonitor.validate`.
  case graced(Duration = .seconds(1))

  /// The grace period; nil if there is none.
  var grace: Duration? {
    switch self {
    case .immediate: nil
    case .graced(let duration): duration
    }
  }
}

extension MemoryLeakMonitor {
  /// Counts `object` and reports if more instances of its class are alive than its `max` allows.
  ///
  /// Call it from an initializer when all stored properties are set. An object counts once even if
  /// the initializers of its base class and of its subclass both call this. Of threads that add
  /// instances concurrently, while no validated instance of the class is dead or dies, exactly
  /// those that find an excess report it; none reports fewer than `max` plus one. `max`,
  /// `description` and the reporter run outside every lock.
  ///
  /// With a grace period, the excess is reported once, in a task, if every look during the period
  /// found it. There are at least 20 looks, and the period starts again if the process is suspended
  /// for over a second, as in a debugger. If the excess disappears after the report, that is
  /// reported as `.late`. At most one check of a class is undecided: until it is decided,
  /// validations that find an excess rely on it, whatever grace they ask for, and its report has
  /// the place of the validation that began it. Without `grace`, `policy` decides.
  ///
  /// - Complexity: O(1) while the class has no more entries than `max`, else O(*n*) in its entries.
  public func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled else { return }
    let max = object.max
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let liveCount = observations.validating(object, at: site) { ledger.add(object, max) }
    guard let liveCount else { return }
    noteExcess(
      of: object, describedAs: object.description, liveCount: liveCount, max: max, grace: grace,
      site: site)
  }

  /// Counts `object`, of any class or actor, and reports if more than `max` instances of its class
  /// are alive.
  ///
  /// For classes that do not conform to `MemoryLeakMonitorable`, such as those of other modules:
  /// call it where they are created. Otherwise as `validate` of a conforming object, with which it
  /// shares counts.
  public func validate(
    _ object: AnyObject, max: Int, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled else { return }
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let liveCount = observations.validating(object, at: site) { ledger.add(object, max) }
    guard let liveCount else { return }
    noteExcess(
      of: object, describedAs: TypeName.short(type(of: object)), liveCount: liveCount, max: max,
      grace: grace, site: site)
  }

  private func noteExcess(
    of object: AnyObject, describedAs description: String, liveCount: Int, max: Int,
    grace: Duration?, site: CallSite
  ) {
    let grace = grace ?? policy.grace
    let type: AnyClass = Swift.type(of: object)
    var report = LeakReport(
      finding: .excess(after: grace), typeName: TypeName.stable(type), description: description,
      liveCount: liveCount, max: max, site: site)
    report.subject = LeakSubject(book: observations.book(of: type))
    noteExcess(
      report, of: ObjectIdentifier(type), suspicions: suspicions, grace: grace,
      count: ledger.liveCount)
  }

  /// Reports an excess immediately, or begins a check.
  ///
  /// - Parameters:
  ///   - type: The identity of the class or group.
  ///   - suspicions: The suspicions of this kind of count.
  ///   - count: Returns the number of live instances.
  func noteExcess(
    _ report: LeakReport, of type: ObjectIdentifier, suspicions: Suspicions, grace: Duration?,
    count: @escaping @Sendable (ObjectIdentifier) -> Int
  ) {
    guard let grace else {
      let longLived = exemptions.longLivedCount(of: type)
      observations.tell(
        exemptions.judge(report, of: type, longLived: longLived), to: reporter)
      return
    }
    let suspicion = suspicions.begin(of: type, liveCount: report.liveCount, max: report.max)
    guard let suspicion else { return }
    let check = ExcessCheck(
      count: count, suspicions: suspicions, exemptions: exemptions, type: type,
      suspicion: suspicion, report: report)
    checks.begin(check, grace: grace)
  }

  /// `validate` of the current monitor.
  public static func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard isEnabled else { return }
    current.validate(
      object, grace: grace, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// `validate` of the current monitor.
  public static func validate(
    _ object: AnyObject, max: Int, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard isEnabled else { return }
    current.validate(
      object, max: max, grace: grace, fileID: fileID, filePath: filePath, line: line,
      column: column)
  }
}

// MARK: - Exemptions

extension MemoryLeakMonitor {
  /// Allows `count` leaked instances of a class that is known to leak; 0 revokes the allowance.
  ///
  /// An excess of up to that many over its `max`, and up to that many survivors, are reported as
  /// `.allowed`, which `.standard` ignores. `max` is the correct limit; an allowance is a known
  /// defect.
  public func allowLeaks(of type: AnyClass, upTo count: Int) {
    exemptions.allow(count, of: ObjectIdentifier(type))
  }

  /// Marks an object that lives as long as the program: it does not count against its class's
  /// `max`. A report that it would cause has the state `.longLived`, which `.standard` ignores.
  ///
  /// - Complexity: O(1) amortized.
  public func markLongLived(_ object: AnyObject) {
    guard Self.isEnabled else { return }
    // Registered as if validated, so that it can be subtracted from the count.
    _ = ledger.add(object, .max)
    exemptions.markLongLived(object)
  }

  /// Whether an object was marked as long-lived.
  package func isLongLived(_ object: AnyObject) -> Bool { exemptions.isLongLived(object) }

  /// `allowLeaks` of the current monitor.
  public static func allowLeaks(of type: AnyClass, upTo count: Int) {
    current.allowLeaks(of: type, upTo: count)
  }

  /// `markLongLived` of the current monitor.
  public static func markLongLived(_ object: AnyObject) {
    current.markLongLived(object)
  }
}
