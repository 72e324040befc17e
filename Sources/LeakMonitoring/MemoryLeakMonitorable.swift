/// An object whose class says how many of its instances may live at once.
///
/// ```swift
/// final class Session: MemoryLeakMonitorable {
///   init() { MemoryLeakMonitor.validate(self) }
/// }
/// ```
///
/// Both requirements are read inside `validate` and nowhere else, in the isolation of whoever calls it: an
/// actor's own are `nonisolated`. A subclass can override only what its base class declares: a base class
/// whose subclasses shall have their own `max` declares `var max: Int { 1 }` itself.
public protocol MemoryLeakMonitorable: AnyObject {
  /// How many instances of exactly this class may live at once; 1 by default.
  var max: Int { get }

  /// What reports call the instance; the class's name by default. Instances are counted by class, whatever
  /// this says.
  var description: String { get }
}

extension MemoryLeakMonitorable {
  public var max: Int { 1 }

  public var description: String { TypeName.short(type(of: self as AnyObject)) }
}
