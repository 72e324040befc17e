/// That an object dies, as `MemoryLeakMonitor.expectDeallocation` was told; holds the object weakly.
///
/// It need not be kept: what is expected stays expected until it is cancelled.
public struct DeallocationExpectation: Sendable {
  private let checks: RunningChecks
  /// Nil if the monitor was off.
  private let number: Int?

  init(_ check: SurvivorCheck?, within duration: Duration, in checks: RunningChecks) {
    self.checks = checks
    number = check.map { checks.begin($0, grace: duration) }
  }

  /// Takes it back: the object may live on. After this call nothing is reported any more, but for a report
  /// that is under way; cancelling twice or late does nothing.
  public func cancel() {
    guard let number else { return }
    checks.cancel(number)
  }
}

extension MemoryLeakMonitor {
  /// Reports `object` if it still lives after a grace period: it is looked at during `duration`, and at
  /// least 20 times; if the process stands still for over a second, as in a debugger, from the beginning.
  ///
  /// For what is about to be let go, such as a screen that closes. If it dies after it was reported, that
  /// is reported too, as `.late`. An object that was marked as long-lived before is reported as
  /// `.longLived`, an allowed one as `.allowed`.
  ///
  /// - Returns: what takes the expectation back.
  @discardableResult
  public func expectDeallocation(
    of object: AnyObject, within duration: Duration = .seconds(1), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> DeallocationExpectation {
    expectDeallocation(
      of: object, describedAs: TypeName.short(Swift.type(of: object)), within: duration,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// The same of an object that is called something in reports.
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
}

extension MemoryLeakMonitor {
  /// Expects `object` to die, but only if it is closing: reports it if it still lives `delay` later.
  ///
  /// For what disappears for several reasons, such as a screen that is covered or popped, and is to die after
  /// some of them alone. `isClosing` is asked at once, and once.
  ///
  /// - Returns: the expectation; nil if it is not closing.
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

/// An object that is expected to die.
struct SurvivorCheck: LeakCheck {
  let object: LifeSign
  let isLongLived: Bool
  let exemptions: Exemptions
  let type: ObjectIdentifier
  /// What to report if it lives on.
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
