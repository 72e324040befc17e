import LeakReports

/// A class, or an actor, that a module declares.
public struct DeclaredClass: Sendable {
  /// The class itself; nil for a generic one without its arguments, which is many classes.
  public let type: AnyClass?

  /// Nil for a class that Swift does not describe, such as one of Objective-C.
  let descriptor: ContextDescriptor?

  init(_ descriptor: ContextDescriptor) {
    type = descriptor.type
    self.descriptor = descriptor
  }

  public init(_ type: AnyClass) {
    self.type = type
    descriptor = ContextDescriptor(of: type)
  }

  /// With the module and the types around it, as in "App.Screen.Model": the same in every run. What else is around
  /// it, as a function or a file that it is private to, is left out, so that several classes may have one name. A
  /// generic one that has no arguments is without them here, too.
  public var name: String {
    type.map { nameWithoutAddresses(String(reflecting: $0)) } ?? descriptor?.name ?? ""
  }

  /// The name of the module that declares it; nil if Swift does not describe the class.
  public var module: String? { descriptor?.module }

  /// Whether `type` is this class, or, where this is generic, this one with arguments.
  public func includes(_ type: AnyClass) -> Bool {
    self.type.map { $0 == type } ?? (descriptor == ContextDescriptor(of: type))
  }

  func inherits(from base: AnyClass) -> Bool {
    guard let type else { return descriptor?.inherits(from: base) ?? false }
    func isSubclass<Base: AnyObject>(_: Base.Type) -> Bool { type != base && type is Base.Type }
    return isSubclass(base)
  }
}

extension DeclaredClass: CustomStringConvertible {
  public var description: String { name }
}
