/// An instance that is alive, in a report of a leak.
public struct LeakSurvivor: Sendable {
  /// Its class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// What it calls itself, or its class's name.
  public var description: String
  /// How long ago it was validated, or its token made.
  public var age: Duration
  /// Where it was validated, or its token made.
  public var site: CallSite?
  /// Who called that; nil if it was not sampled.
  public var backtrace: CreationBacktrace?

  public init(
    typeName: String, description: String, age: Duration, site: CallSite? = nil,
    backtrace: CreationBacktrace? = nil
  ) {
    self.typeName = typeName
    self.description = description
    self.age = age
    self.site = site
    self.backtrace = backtrace
  }
}
