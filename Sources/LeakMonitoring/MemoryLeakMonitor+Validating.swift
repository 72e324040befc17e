extension MemoryLeakMonitor {
  /// Counts `object` and reports if more instances of its class live than its `max` allows.
  ///
  /// To be called from an initialiser, when all stored properties are set; from those of a base class and a
  /// subclass both, an object still counts once. Of threads that add instances at once, while none of these
  /// dies, exactly those report at once that found too many; never does one report fewer than `max` and
  /// one. `max`, `description` and the reporter run outside every exclusion.
  ///
  /// With a grace period too many are reported once, in a task, if during all of the period there were too
  /// many whenever it was looked: at least 20 times, and from the beginning after the process has stood
  /// still for over a second, as in a debugger. If there are too many no more after that, it is reported
  /// as `.late`. One check a class is undecided at a time: until it is, validations that find too many rely
  /// on it, whatever grace they ask for, and its report has the place of the one that began it.
  ///
  /// - Parameter grace: the grace period; nil for what `policy` says.
  /// - Complexity: O(1) while the class has no more entries than `max`, else O(*n*) in its entries.
  public func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled else { return }
    let max = object.max
    guard let liveCount = ledger.add(object, max) else { return }
    noteExcess(
      of: object, describedAs: object.description, liveCount: liveCount, max: max, grace: grace,
      site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Counts `object`, of any class or actor, and reports if more than `max` instances of its class live.
  ///
  /// For classes that do not conform to `MemoryLeakMonitorable`, such as those of other modules, from
  /// where they are made. Otherwise as `validate` of a conforming object, and counted together with it.
  public func validate(
    _ object: AnyObject, max: Int, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled, let liveCount = ledger.add(object, max) else { return }
    noteExcess(
      of: object, describedAs: TypeName.short(type(of: object)), liveCount: liveCount, max: max,
      grace: grace,
      site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  private func noteExcess(
    of object: AnyObject, describedAs description: String, liveCount: Int, max: Int,
    grace: Duration?, site: CallSite
  ) {
    let grace = grace ?? policy.grace
    let report = LeakReport(
      finding: .excess(after: grace), typeName: TypeName.stable(type(of: object)),
      description: description, liveCount: liveCount, max: max, site: site)
    let identifier = ObjectIdentifier(type(of: object))
    if let grace {
      suspect(identifier, of: report, grace: grace)
    } else {
      let longLived = exemptions.longLivedCount(of: identifier)
      reporter.report(exemptions.judge(report, of: identifier, longLived: longLived))
    }
  }

  private func suspect(_ type: ObjectIdentifier, of report: LeakReport, grace: Duration) {
    let suspicion = suspicions.begin(of: type, liveCount: report.liveCount, max: report.max)
    guard let suspicion else { return }
    let check = ExcessCheck(
      ledger: ledger, suspicions: suspicions, exemptions: exemptions, type: type,
      suspicion: suspicion, report: report)
    checks.begin(check, grace: grace)
  }
}

extension MemoryLeakMonitor {
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
