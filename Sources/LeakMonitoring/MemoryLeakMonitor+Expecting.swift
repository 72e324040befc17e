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
