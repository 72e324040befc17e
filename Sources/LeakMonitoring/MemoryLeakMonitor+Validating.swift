extension MemoryLeakMonitor {
  /// Counts `object` and reports if more instances of its class live than its `max` allows.
  ///
  /// To be called from an initialiser, when all stored properties are set; from those of a base class and a
  /// subclass both, an object still counts once. Of threads that add instances at once, while none of these
  /// dies, exactly those report that found too many; never does one report fewer than `max` and one. `max`,
  /// `description` and the reporter run outside every exclusion.
  ///
  /// - Complexity: O(1) while the class has no more entries than `max`, else O(*n*) in its entries.
  public func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled else { return }
    let max = object.max
    guard let liveCount = ledger.add(object, max) else { return }
    noteExcess(
      of: object, describedAs: object.description, liveCount: liveCount, max: max,
      site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Counts `object`, of any class or actor, and reports if more than `max` instances of its class live.
  ///
  /// For classes that do not conform to `MemoryLeakMonitorable`, such as those of other modules, from
  /// where they are made. Otherwise as `validate` of a conforming object, and counted together with it.
  public func validate(
    _ object: AnyObject, max: Int, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled, let liveCount = ledger.add(object, max) else { return }
    noteExcess(
      of: object, describedAs: TypeName.short(type(of: object)), liveCount: liveCount, max: max,
      site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  private func noteExcess(
    of object: AnyObject, describedAs description: String, liveCount: Int, max: Int, site: CallSite
  ) {
    reporter.report(
      LeakReport(
        typeName: TypeName.stable(type(of: object)), description: description,
        liveCount: liveCount, max: max, site: site))
  }
}

extension MemoryLeakMonitor {
  /// `validate` by the current monitor.
  public static func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    guard isEnabled else { return }
    current.validate(object, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// `validate` by the current monitor.
  public static func validate(
    _ object: AnyObject, max: Int, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard isEnabled else { return }
    current.validate(
      object, max: max, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
