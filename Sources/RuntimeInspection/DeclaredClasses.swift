import CRuntimeInspection
import LeakReports

/// The classes and actors that modules declare, as the runtime or a list enumerates them.
///
/// ```swift
/// let classes = try DeclaredClasses(in: ["App"])
/// let screens = classes.subclasses(of: Screen.self)
/// let closables = classes.conformers { $0 is any Closable.Type }
/// ```
public struct DeclaredClasses: Sendable {
  private let classes: [DeclaredClass]

  /// Finds all classes that modules declare, including private, nested and local ones.
  ///
  /// - Parameter modules: The names of the modules, as the compiler knows them. A module that is
  ///   not part of this process has no classes.
  /// - Throws: `ClassesUnavailable` if `capability` is unavailable. Therefore an empty result means
  ///   that the modules declare no classes.
  /// - Complexity: O(*n*) in the number of types in all images. In the first call, the runtime
  ///   creates the metadata of each class of `modules`.
  public init(in modules: Set<String>) throws(ClassesUnavailable) {
    try self.init(in: modules, capability: Self.capability)
  }

  package init(
    in modules: Set<String>, capability: RuntimeCapability
  ) throws(ClassesUnavailable) {
    if case .unavailable(let reason) = capability { throw ClassesUnavailable(reason: reason) }
    classes = Self.found(in: modules) ?? []
  }

  /// Creates a collection of the classes in a list, for platforms where the runtime cannot
  /// enumerate classes.
  public init(registered types: [AnyClass]) {
    classes = types.map { DeclaredClass($0) }
  }

  /// All classes, sorted by name.
  ///
  /// - Complexity: O(*n* log *n*). Creating the names takes most of the time.
  public var all: [DeclaredClass] { sorted(classes) }

  /// The names of the modules that declare the classes.
  public var modules: Set<String> { Set(classes.compactMap(\.module)) }

  /// Returns the classes that inherit from a class, sorted by name, without the class itself.
  ///
  /// If the class is generic, the result includes generic classes that inherit from it with other
  /// arguments. It does not include a generic class if an Objective-C class is between the two.
  ///
  /// - Parameter base: The superclass, direct or indirect.
  public func subclasses(of base: AnyClass) -> [DeclaredClass] {
    sorted(classes.filter { $0.inherits(from: base) })
  }

  /// Returns the classes that satisfy a condition, sorted by name.
  ///
  /// - Parameter isConforming: Returns whether to include a class, such as `{ $0 is any P.Type }`.
  ///   It is not called for generic classes, and the result contains none.
  public func conformers(_ isConforming: (AnyClass) throws -> Bool) rethrows -> [DeclaredClass] {
    sorted(try classes.filter { try $0.type.map(isConforming) ?? false })
  }

  private func sorted(_ classes: [DeclaredClass]) -> [DeclaredClass] {
    let named = classes.map { (name: $0.name, declared: $0) }
    return named.sorted { $0.name < $1.name }.map(\.declared)
  }

  /// The classes in the images; nil if the images cannot be enumerated.
  private static func found(in modules: Set<String>) -> [DeclaredClass]? {
    ContextDescriptor.classes(in: modules)?.map { DeclaredClass($0) }
  }
}

/// An error: the platform or the runtime cannot enumerate the classes of a program.
public struct ClassesUnavailable: Error, Equatable {
  /// The reason of the failure.
  public let reason: String
}

extension ClassesUnavailable: CustomStringConvertible {
  /// The failure, its reason, and what to do.
  public var description: String {
    "cannot enumerate the classes of a module here: \(reason); pass a list of classes"
  }
}

// MARK: Probe

private final class PrivateProbe {
  final class Nested {}
}

extension DeclaredClasses {
  /// Whether the runtime can enumerate classes: whether it finds a private, a nested and a local
  /// class of this module.
  ///
  /// The first use of this property searches for them.
  public static let capability = capability(finding: probes)

  static func capability(finding probes: [(kind: String, type: AnyClass)]) -> RuntimeCapability {
    guard let module = DeclaredClass(PrivateProbe.self).module, let found = found(in: [module])
    else {
      return .unavailable("the runtime does not list its types")
    }
    for probe in probes where !found.contains(where: { $0.type == probe.type }) {
      return .unavailable("the runtime does not list a \(probe.kind) class of \(module)")
    }
    return .available
  }

  private static var probes: [(kind: String, type: AnyClass)] {
    final class LocalProbe {}
    return [
      ("private", PrivateProbe.self), ("nested", PrivateProbe.Nested.self),
      ("local", LocalProbe.self),
    ]
  }
}

// MARK: One class

/// A class, or an actor, that a module declares.
public struct DeclaredClass: Sendable {
  /// The class itself; nil for a generic class, which stands for many classes until it has
  /// arguments.
  public let type: AnyClass?

  /// The descriptor; nil for a class that Swift does not describe, such as an Objective-C class.
  private let descriptor: ContextDescriptor?

  fileprivate init(_ descriptor: ContextDescriptor) {
    type = descriptor.type
    self.descriptor = descriptor
  }

  /// Creates the description of a class.
  public init(_ type: AnyClass) {
    self.type = type
    descriptor = ContextDescriptor(of: type)
  }

  /// The name with the module and the enclosing types, as in "App.Screen.Model"; the same in every
  /// run.
  ///
  /// The name omits other contexts, such as an enclosing function and the file of a private class.
  /// So several classes may have the same name. The name of a generic class whose `type` is nil
  /// omits the arguments.
  public var name: String {
    type.map { nameWithoutAddresses(String(reflecting: $0)) } ?? descriptor?.name ?? ""
  }

  /// The name of the module that declares the class; nil if Swift does not describe the class.
  public var module: String? { descriptor?.module }

  /// Returns whether `type` is this class or, if this class is generic, this class with any
  /// arguments.
  public func includes(_ type: AnyClass) -> Bool {
    self.type.map { $0 == type } ?? (descriptor == ContextDescriptor(of: type))
  }

  fileprivate func inherits(from base: AnyClass) -> Bool {
    guard let type else { return descriptor?.inherits(from: base) ?? false }
    func isSubclass<Base: AnyObject>(_: Base.Type) -> Bool { type != base && type is Base.Type }
    return isSubclass(base)
  }
}

extension DeclaredClass: CustomStringConvertible {
  /// The name of the class with its module, the same as `name`.
  public var description: String { name }
}

/// The descriptor of a type, a module or another context, which the compiler writes into the image.
private struct ContextDescriptor: Hashable {
  private let address: UnsafeRawPointer

  private init(_ address: UnsafeRawPointer) {
    self.address = address
  }

  /// The descriptor of `type`; nil if Swift does not describe it.
  init?(of type: AnyClass) {
    guard let address = cri_descriptor_of_class(unsafeBitCast(type, to: UnsafeRawPointer.self))
    else { return nil }
    self.init(address)
  }

  /// Returns the descriptors of all classes that `modules` declare; nil if the images cannot be
  /// enumerated.
  static func classes(in modules: Set<String>) -> [ContextDescriptor]? {
    // An empty name ends the list.
    let names = modules.filter { !$0.isEmpty }.map { $0 + "\0" }.joined()
    var found: [UnsafeRawPointer?] = []
    // The first call returns the number of classes. A later call is repeated if another thread has
    // loaded an image meanwhile.
    while true {
      let count = cri_class_descriptors(names, &found, found.count)
      guard count >= 0 else { return nil }
      if count <= found.count { return found.prefix(count).compactMap { $0 }.map(Self.init) }
      found = Array(repeating: nil, count: count)
    }
  }

  /// The class, unless it is generic.
  var type: AnyClass? {
    cri_metadata_of_class(address).map { unsafeBitCast($0, to: AnyClass.self) }
  }

  /// Returns whether this is a class that inherits from `base`, with any arguments.
  func inherits(from base: AnyClass) -> Bool {
    guard let base = ContextDescriptor(of: base) else { return false }
    let superclasses = sequence(first: self) {
      cri_superclass_descriptor($0.address).map(Self.init)
    }
    return superclasses.dropFirst().contains(base)
  }

  /// The name, which begins with the names of the module and of the enclosing types. It omits
  /// functions and files.
  var name: String {
    let contexts = sequence(first: self) { cri_parent_context($0.address).map(Self.init) }
    let names = contexts.compactMap { cri_context_name($0.address).map { String(cString: $0) } }
    return names.reversed().joined(separator: ".")
  }

  var module: String? { cri_module_name(address).map { String(cString: $0) } }
}

// @unchecked: nothing writes to an image's descriptors, which stay where they are.
extension ContextDescriptor: @unchecked Sendable {}
