/// An expectation that an object is deallocated; it holds the object weakly.
///
/// `MemoryLeakMonitor.expectDeallocation` returns it. The expectation stays in force until it is
/// cancelled, even if the program does not keep the value.
public struct DeallocationExpectation: Sendable {
  private let checks: RunningChecks
  /// The number of the check; nil if `MemoryLeakMonitor.isEnabled` was false.
  private let number: Int?

  init(_ check: SurvivorCheck?, within duration: Duration, in checks: RunningChecks) {
    self.checks = checks
    number = check.map { checks.begin($0, grace: duration) }
  }

  /// Cancels the expectation, so that the object may stay alive.
  ///
  /// No report follows, except one that is already being made. Cancelling twice, or after the
  /// report, does nothing.
  public func cancel() {
    guard let number else { return }
    checks.cancel(number)
  }
}

extension MemoryLeakMonitor {
  /// Expects the deallocation of an object, and reports it if it is still alive after a grace
  /// period.
  ///
  /// Call it for an object that the program is about to release, such as a screen that closes. A
  /// task polls the object, at least 20 times, and reports it if it is alive at every poll. The
  /// period starts again if the process is suspended for over a second, as in a debugger. If the
  /// object is deallocated after the report, the monitor reports that as `.late`. The report has
  /// the state `.longLived` if the object was marked as long-lived, and `.allowed` if `allowLeaks`
  /// covers it.
  ///
  /// - Parameters:
  ///   - object: The object. The monitor holds it weakly.
  ///   - duration: The grace period.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The expectation, which can be cancelled.
  @discardableResult
  public func expectDeallocation(
    of object: AnyObject, within duration: Duration = .seconds(1), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> DeallocationExpectation {
    expectDeallocation(
      of: object, describedAs: TypeName.short(Swift.type(of: object)), within: duration,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Expects the deallocation of an object, which reports name by `description`.
  @discardableResult
  package func expectDeallocation(
    of object: AnyObject, describedAs description: String, within duration: Duration,
    at site: CallSite
  ) -> DeallocationExpectation {
    let type: AnyClass = Swift.type(of: object)
    guard Self.isEnabled else { return DeallocationExpectation(nil, within: duration, in: checks) }
    var report = LeakReport(
      finding: .survivor(after: duration), typeName: TypeName.stable(type),
      description: description, liveCount: 1, max: 0, site: site)
    let life = LifeSign(object)
    report.subject = LeakSubject(
      book: observations.book(of: type),
      object: InstanceRecord(
        type: type, birth: observations.clock.now(), site: site, backtrace: nil,
        object: (ObjectIdentifier(object), life)))
    let check = SurvivorCheck(
      object: life, isLongLived: exemptions.isLongLived(object), exemptions: exemptions,
      type: ObjectIdentifier(type), report: report)
    return DeallocationExpectation(check, within: duration, in: checks)
  }

  /// Expects the deallocation of an object by the current monitor, which reports it if it is still
  /// alive after a grace period.
  ///
  /// - Parameters:
  ///   - object: The object. The monitor holds it weakly.
  ///   - duration: The grace period.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The expectation, which can be cancelled.
  @discardableResult
  public static func expectDeallocation(
    of object: AnyObject, within duration: Duration = .seconds(1), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> DeallocationExpectation {
    current.expectDeallocation(
      of: object, within: duration, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Expects the deallocation of an object if it is closing.
  ///
  /// Use it for an object that may disappear without being released, such as a screen that is
  /// either covered or popped.
  ///
  /// - Parameters:
  ///   - object: The object. The monitor holds it weakly.
  ///   - delay: The grace period.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - isClosing: Returns whether the object is closing. It runs once, before the call returns.
  /// - Returns: The expectation, which can be cancelled; nil if the object is not closing.
  /// - SeeAlso: `expectDeallocation`.
  @discardableResult
  public func checkDeallocation<Object: AnyObject>(
    of object: Object, after delay: Duration = .seconds(2), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    ifClosing isClosing: (Object) throws -> Bool
  ) rethrows -> DeallocationExpectation? {
    guard try isClosing(object) else { return nil }
    return expectDeallocation(
      of: object, within: delay, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Expects the deallocation of an object by the current monitor if the object is closing.
  ///
  /// - Parameters:
  ///   - object: The object. The monitor holds it weakly.
  ///   - delay: The grace period.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - isClosing: Returns whether the object is closing. It runs once, before the call returns.
  /// - Returns: The expectation, which can be cancelled; nil if the object is not closing.
  @discardableResult
  public static func checkDeallocation<Object: AnyObject>(
    of object: Object, after delay: Duration = .seconds(2), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    ifClosing isClosing: (Object) throws -> Bool
  ) rethrows -> DeallocationExpectation? {
    try current.checkDeallocation(
      of: object, after: delay, fileID: fileID, filePath: filePath, line: line, column: column,
      ifClosing: isClosing)
  }
}

/// A check of one object that should be deallocated.
struct SurvivorCheck: LeakCheck {
  let object: LifeSign
  let isLongLived: Bool
  let exemptions: Exemptions
  let type: ObjectIdentifier
  /// The report if the object stays alive.
  let report: LeakReport

  var subject: CheckSubject? { nil }

  func look() -> LeakReport? { object.isAlive ? report : nil }

  func dismiss() {}

  func successor() -> SurvivorCheck? { nil }

  func conclude(_ found: LeakReport) -> LeakReport {
    var report = found
    if isLongLived {
      report.state = .longLived
    } else if exemptions.allowSurvivor(of: type) {
      report.state = .allowed
    }
    return report
  }

  func resolve(_ report: LeakReport) -> Bool {
    if report.state == .allowed { exemptions.releaseSurvivor(of: type) }
    return true
  }
}
