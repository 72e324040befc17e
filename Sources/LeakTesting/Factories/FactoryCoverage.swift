import LeakMonitoring

/// Whether a suite has a factory for each class that should have one, and no other.
public struct FactoryCoverage: Sendable, Equatable {
  /// The classes without a factory, each name once.
  public let missing: [String]
  /// The factories of other classes, by name.
  public let stale: [String]
  /// The exceptions that are none of the classes.
  public let staleExceptions: [String]
  /// The modules that declare no class at all, as one whose name is misspelt.
  public let emptyModules: [String]
  /// Whether there was no class that should have a factory, so that nothing was compared.
  public let isVacuous: Bool

  public static let complete = FactoryCoverage(missing: [], stale: [])

  init(
    missing: [String], stale: [String], staleExceptions: Set<String> = [],
    emptyModules: Set<String> = [], isVacuous: Bool = false
  ) {
    self.missing = Set(missing).sorted()
    self.stale = stale.sorted()
    self.staleExceptions = staleExceptions.sorted()
    self.emptyModules = emptyModules.sorted()
    self.isVacuous = isVacuous
  }
}

extension FactoryCoverage {
  /// Fails the running test, at the caller's line, with all that keeps this from being `complete`.
  public func expectComplete(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    guard self != .complete else { return }
    RunningTest.record(
      "the classes and their factories differ: \(self)",
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

extension FactoryCoverage: CustomStringConvertible {
  public var description: String {
    var parts = [
      ("no factory for", missing), ("a factory too many, for", stale),
      ("excepted, but there is no", staleExceptions), ("no class in the module", emptyModules),
    ].filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    if isVacuous { parts.append("no class to be covered") }
    return parts.isEmpty ? "complete" : parts.joined(separator: "; ")
  }
}
