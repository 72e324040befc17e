/// An expectation that an object is deallocated; it holds the object weakly.
///
/// `MemoryLeakMonitor.expectDeallocation` returns it. It need not be kept: it stays in force until
/// it is cancelled.
public struct DeallocationExpectation: Sendable {
  private let checks: RunningChecks
  /// The number of the check; nil if monitors were off.
  private let number: Int?

  init(_ check: SurvivorCheck?, within duration: Duration, in checks: RunningChecks) {
    self.checks = checks
    number = check.map { checks.begin($0, grace: duration) }
  }

  /// Cancels the expectation: the object may stay alive. After this call nothing is reported,
  /// except a report that is under way. Cancelling twice or late does nothing.
  public func cancel() {
    guard let number else { return }
    checks.cancel(number)
  }
}

extension MemoryLeakMonitor {
  /// Reports `object` if it is still alive after a grace period: `duration`, and at least 20 looks.
  /// The period starts again if the process is suspended for over a second, as in a debugger.
  ///
  /// For an object that is about to be released, such as a screen that closes. A deallocation after
  /// the report is reported too, as `.late`. An object that was marked as long-lived is reported as
  /// `.longLived`, an allowed one as `.allowed`.
  ///
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

  /// The same for an object that reports call `description`.
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

  /// `expectDeallocation` by the current monitor.
  @discardableResult
  public static func expectDeallocation(
    of object: AnyObject, within duration: Duration = .seconds(1), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> DeallocationExpectation {
    current.expectDeallocation(
      of: object, within: duration, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Expects the deallocation of `object` if it is closing: reports it if it is still alive after
  /// `delay`.
  ///
  /// For an object that disappears for several reasons and is deallocated after some of them, such
  /// as a screen that is covered or popped. `isClosing` is called once, immediately.
  ///
  /// - Returns: The expectation; nil if the object is not closing.
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

  /// `checkDeallocation` by the current monitor.
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

/// A check of an object that is expected to be deallocated.
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

  func resolve(_ told: LeakReport) -> Bool {
    if told.state == .allowed { exemptions.releaseSurvivor(of: type) }
    return true
  }
}
