public import RuntimeInspection

/// An instance that is alive, in a report of a leak.
public struct LeakSurvivor: Sendable {
  /// Its class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// What it calls itself, or its class's name.
  public var description: String
  /// How long ago it was validated, or its token made; else, how long ago it was expected to be gone.
  public var age: Duration
  /// Where it was validated, or its token made; else, where it was expected to be gone.
  public var site: CallSite?
  /// Who called that; nil if it was not sampled.
  public var backtrace: CreationBacktrace?
  /// Who holds it; nil if nobody looked, since `RetainPaths` are hidden or it is none of the oldest. Of objects with
  /// tokens that is not known.
  public var retainFinding: RetainFinding?

  /// How it is held, if that was looked for and found.
  public var retainPath: RetainPath? { retainFinding?.path }

  public init(
    typeName: String, description: String, age: Duration, site: CallSite? = nil,
    backtrace: CreationBacktrace? = nil, retainFinding: RetainFinding? = nil
  ) {
    self.typeName = typeName
    self.description = description
    self.age = age
    self.site = site
    self.backtrace = backtrace
    self.retainFinding = retainFinding
  }
}
