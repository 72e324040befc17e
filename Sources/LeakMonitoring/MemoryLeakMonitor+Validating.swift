extension MemoryLeakMonitor {
  /// Counts `object` and reports if more instances of its class live than its `max` allows.
  ///
  /// To be called from an initialiser, when all stored properties are set; from those of a base class and a
  /// subclass both, an object still counts once. Of threads that add instances at once, while no validated
  /// one of the class is dead or dies, exactly those report at once that found too many; never does one report
  /// fewer than `max` and one. `max`, `description` and the reporter run outside every exclusion.
  ///
  /// With a grace period too many are reported once, in a task, if during all of the period there were too
  /// many whenever it was looked: at least 20 times, and from the beginning after the process has stood
  /// still for over a second, as in a debugger. If there are too many no more after that, it is reported
  /// as `.late`. One check a class is undecided at a time: until it is, validations that find too many rely
  /// on it, whatever grace they ask for, and its report has the place of the one that began it. Without a `grace`
  /// here, `policy` says what it is.
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

  /// Counts `object`, of any class or actor, and reports if more than `max` instances of its class live.
  ///
  /// For classes that do not conform to `MemoryLeakMonitorable`, such as those of other modules, from
  /// where they are made. Otherwise as `validate` of a conforming object, and counted together with it.
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

  /// Reports at once, or begins a check.
  ///
  /// - Parameters:
  ///   - type: the class, or what else is counted.
  ///   - suspicions: those of what is counted so.
  ///   - count: how many live.
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
