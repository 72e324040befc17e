/// A class that limits the number of its live instances.
///
/// ```swift
/// final class Session: MemoryLeakMonitorable {
///   init() { MemoryLeakMonitor.validate(self) }
/// }
/// ```
///
/// Only `validate` reads the two requirements, in the isolation of its caller. So an actor that
/// implements them declares them as `nonisolated`. A subclass can override only a property that its
/// base class declares, not the default implementation. So a base class whose subclasses have their
/// own `max` declares `var max: Int { 1 }` itself.
public protocol MemoryLeakMonitorable: AnyObject {
  /// The maximum number of live instances of exactly this class; 1 by default.
  var max: Int { get }

  /// The description of the instance in reports; the class's name by default.
  ///
  /// It does not affect the counts, which are by class.
  var description: String { get }
}

extension MemoryLeakMonitorable {
  /// The default maximum, 1.
  public var max: Int { 1 }

  /// The name of the class without its module.
  public var description: String { TypeName.short(type(of: self as AnyObject)) }
}

/// When `validate` reports an excess, if its argument `grace` is nil.
public enum LeakPolicy: Sendable, Equatable {
  /// `validate` reports an excess immediately.
  ///
  /// An instance that is about to be released still counts: in `x = C()` the old instance is alive
  /// while the new one is initialized.
  case immediate

  /// `validate` starts a task, which reports the excess if it lasts for a grace period: see
  /// `MemoryLeakMonitor.validate`.
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
  /// Counts `object`, and reports if more instances of its class are alive than its `max` allows.
  ///
  /// Call it from an initializer after all stored properties are set. An object counts once, even
  /// if the initializers of its base class and of its subclass both call this. If threads validate
  /// instances concurrently, and no validated instance of the class is dead or dies meanwhile, then
  /// without a grace period each instance beyond the first `max` causes one report, with a count of
  /// at least `max` + 1. `max`, `description` and the reporter run outside every lock.
  ///
  /// With a grace period, a task polls the count, at least 20 times, and reports the excess once if
  /// every poll found it. The period starts again if the process is suspended for over a second, as
  /// in a debugger. If the excess disappears after the report, the monitor reports that as `.late`.
  /// A class has at most one undecided check. While it is undecided, other validations with a grace
  /// period that find an excess start no check of their own, however long their periods are. The
  /// report has the place of the validation that began the check.
  ///
  /// - Parameters:
  ///   - object: The object. The monitor holds it weakly.
  ///   - grace: The grace period; nil to follow `policy`.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Complexity: O(1) while the class has at most `max` entries, else O(*n*) in the number of its
  ///   entries.
  public func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled else { return }
    let max = object.max
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let liveCount = observations.validating(object, at: site) { registry.add(object, max) }
    guard let liveCount else { return }
    noteExcess(
      of: object, describedAs: object.description, liveCount: liveCount, max: max, grace: grace,
      site: site)
  }

  /// Counts `object`, of any class or actor, and reports if more than `max` instances of its class
  /// are alive.
  ///
  /// Use it for classes that do not conform to `MemoryLeakMonitorable`, such as those of other
  /// modules, and call it where the program creates their instances. The counts and the checks are
  /// those of `validate` for a conforming object.
  ///
  /// - Parameters:
  ///   - object: The object. The monitor holds it weakly.
  ///   - max: The maximum number of live instances of the class.
  ///   - grace: The grace period; nil to follow `policy`.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Complexity: O(1) while the class has at most `max` entries, else O(*n*) in the number of its
  ///   entries.
  public func validate(
    _ object: AnyObject, max: Int, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled else { return }
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let liveCount = observations.validating(object, at: site) { registry.add(object, max) }
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
      count: registry.liveCount)
  }

  /// Reports an excess immediately, or begins a check.
  ///
  /// - Parameters:
  ///   - type: The identity of the class or group.
  ///   - suspicions: The suspicions of validated instances, or those of tokens.
  ///   - count: Returns the number of live instances.
  func noteExcess(
    _ report: LeakReport, of type: ObjectIdentifier, suspicions: Suspicions, grace: Duration?,
    count: @escaping @Sendable (ObjectIdentifier) -> Int
  ) {
    guard let grace else {
      let longLived = exemptions.longLivedCount(of: type)
      observations.report(
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

  /// Counts `object` in the current monitor, and reports if more instances of its class are alive
  /// than its `max` allows.
  ///
  /// - Parameters:
  ///   - object: The object. The monitor holds it weakly.
  ///   - grace: The grace period; nil to follow `policy`.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public static func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard isEnabled else { return }
    current.validate(
      object, grace: grace, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Counts `object`, of any class or actor, in the current monitor, and reports if more than `max`
  /// instances of its class are alive.
  ///
  /// - Parameters:
  ///   - object: The object. The monitor holds it weakly.
  ///   - max: The maximum number of live instances of the class.
  ///   - grace: The grace period; nil to follow `policy`.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
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
  /// Allows up to `count` leaked instances of a class that is known to leak.
  ///
  /// The monitor reports an excess of up to `count` over the class's `max`, and up to `count`
  /// survivors, as `.allowed`, which `.standard` ignores. `max` states the correct limit; an
  /// allowance states a known defect. A new allowance takes effect for the next report.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - count: The allowed number of leaked instances; 0 revokes the allowance.
  public func allowLeaks(of type: AnyClass, upTo count: Int) {
    exemptions.allow(count, of: ObjectIdentifier(type))
  }

  /// Marks an object as one that lives as long as the program and does not count against its
  /// class's `max`.
  ///
  /// A report that only long-lived objects cause has the state `.longLived`, which `.standard`
  /// ignores. The mark takes effect for the next report of an excess, and for an expected
  /// deallocation only if the expectation begins later.
  ///
  /// - Parameter object: The object. The monitor holds it weakly.
  /// - Complexity: O(1) amortized.
  public func markLongLived(_ object: AnyObject) {
    guard Self.isEnabled else { return }
    // Counts the object like a validated one, because checks subtract long-lived objects from that
    // count.
    _ = registry.add(object, .max)
    exemptions.markLongLived(object)
  }

  /// Returns whether an object was marked as long-lived.
  package func isLongLived(_ object: AnyObject) -> Bool { exemptions.isLongLived(object) }

  /// Allows a number of leaked instances of a class in the current monitor.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - count: The allowed number of leaked instances; 0 revokes the allowance.
  public static func allowLeaks(of type: AnyClass, upTo count: Int) {
    current.allowLeaks(of: type, upTo: count)
  }

  /// Marks an object as long-lived in the current monitor.
  ///
  /// - Parameter object: The object. The monitor holds it weakly.
  public static func markLongLived(_ object: AnyObject) {
    current.markLongLived(object)
  }
}
