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
    let type: AnyClass = Swift.type(of: object)
    guard Self.isEnabled else { return DeallocationExpectation(nil, within: duration, in: checks) }
    var report = LeakReport(
      finding: .survivor(after: duration), typeName: TypeName.stable(type),
      description: TypeName.short(type), liveCount: 1, max: 0,
      site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    report.subject = LeakSubject(
      book: observations.book(of: type), object: ObjectIdentifier(object))
    let check = SurvivorCheck(
      object: LifeSign(object), isLongLived: exemptions.isLongLived(object), exemptions: exemptions,
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
