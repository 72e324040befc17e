import CRuntimeInspection

/// The classes and actors of modules, as the runtime finds them; or, where it finds none, as the caller lists them.
///
/// ```swift
/// let classes = try DeclaredClasses(in: ["App"])
/// let screens = classes.subclasses(of: Screen.self)
/// let closables = classes.conformers { $0 is any Closable.Type }
/// ```
public struct DeclaredClasses: Sendable {
  private let classes: [DeclaredClass]

  /// All that `modules` declare: what is private, nested or in a function too.
  ///
  /// Modules have the names that the compiler knows them by. One that is not part of this process has no classes.
  ///
  /// - Throws: if `capability` says that there is no telling; so none means none.
  /// - Complexity: O(*n*) in the types of all images. The first time has the runtime make what it keeps of each class
  ///   of `modules`.
  public init(in modules: Set<String>) throws(ClassesUnavailable) {
    try self.init(in: modules, capability: Self.capability)
  }

  package init(
    in modules: Set<String>, capability: RuntimeCapability
  ) throws(ClassesUnavailable) {
    if case .unavailable(let reason) = capability { throw ClassesUnavailable(reason: reason) }
    classes = Self.found(in: modules) ?? []
  }

  /// Those of a list.
  public init(registered types: [AnyClass]) {
    classes = types.map { DeclaredClass($0) }
  }

  /// All, by name.
  ///
  /// - Complexity: O(*n* log *n*), of which to make the names is most.
  public var all: [DeclaredClass] { sorted(classes) }

  /// The names of the modules that declare them.
  public var modules: Set<String> { Set(classes.compactMap(\.module)) }

  /// Those that inherit from `base`, by name, itself not included. Of generic ones also those that inherit from it with
  /// other arguments, if it is generic; and none if a class of Objective-C is between them.
  public func subclasses(of base: AnyClass) -> [DeclaredClass] {
    sorted(classes.filter { $0.inherits(from: base) })
  }

  /// Those that `isConforming` is true of, by name. It is asked about no generic class, so that none is among them.
  public func conformers(_ isConforming: (AnyClass) throws -> Bool) rethrows -> [DeclaredClass] {
    sorted(try classes.filter { try $0.type.map(isConforming) ?? false })
  }

  private func sorted(_ classes: [DeclaredClass]) -> [DeclaredClass] {
    let named = classes.map { (name: $0.name, declared: $0) }
    return named.sorted { $0.name < $1.name }.map(\.declared)
  }

  /// What the images tell; nil if they do not.
  static func found(in modules: Set<String>) -> [DeclaredClass]? {
    ContextDescriptor.classes(in: modules)?.map { DeclaredClass($0) }
  }
}

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

/// What the compiler leaves in an image of a type, a module or something else that types are declared in.
struct ContextDescriptor: Hashable {
  let address: UnsafeRawPointer

  private init(_ address: UnsafeRawPointer) {
    self.address = address
  }

  /// The descriptor of `type`; nil if Swift does not describe it.
  init?(of type: AnyClass) {
    guard let address = cri_descriptor_of_class(unsafeBitCast(type, to: UnsafeRawPointer.self))
    else { return nil }
    self.init(address)
  }

  /// Those of all classes that `modules` declare; nil where there is no telling.
  static func classes(in modules: Set<String>) -> [ContextDescriptor]? {
    // Which an empty name would end.
    let names = modules.filter { !$0.isEmpty }.map { $0 + "\0" }.joined()
    var found: [UnsafeRawPointer?] = []
    // Once for their number, and again for as long as images are loaded meanwhile.
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

  /// That of the superclass, whatever the arguments of that are.
  var superclass: ContextDescriptor? {
    cri_superclass_descriptor(address).map(Self.init)
  }

  /// Whether this is a class that inherits from `base`, with whatever arguments.
  func inherits(from base: AnyClass) -> Bool {
    guard let base = ContextDescriptor(of: base) else { return false }
    return sequence(first: self, next: \.superclass).dropFirst().contains(base)
  }

  /// The name with those of the module and of types around it, and nothing of functions and files.
  var name: String {
    contexts.reversed().compactMap(\.ownName).joined(separator: ".")
  }

  var module: String? { cri_module_name(address).map { String(cString: $0) } }

  /// This, what is around it, and so on.
  private var contexts: [ContextDescriptor] {
    Array(sequence(first: self) { cri_parent_context($0.address).map(Self.init) })
  }

  private var ownName: String? {
    cri_context_name(address).map { String(cString: $0) }
  }
}

// @unchecked: nobody writes to an image's descriptors, which stay where they are.
extension ContextDescriptor: @unchecked Sendable {}

private final class PrivateProbe {
  final class Nested {}
}

extension DeclaredClasses {
  /// Whether classes can be had from the runtime: if it finds three of this module that are hard to find.
  ///
  /// They are looked for once, when this is asked first.
  public static let capability = capability(finding: probes)

  static func capability(finding probes: [(kind: String, type: AnyClass)]) -> RuntimeCapability {
    guard let module = DeclaredClass(PrivateProbe.self).module, let found = found(in: [module])
    else {
      return .unavailable("the runtime does not say where types are")
    }
    for probe in probes where !found.contains(where: { $0.type == probe.type }) {
      return .unavailable("of the module \(module), a \(probe.kind) class is not found")
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

/// That this platform or this runtime does not tell which classes a program declares.
public struct ClassesUnavailable: Error, Equatable {
  /// For people.
  public let reason: String
}

extension ClassesUnavailable: CustomStringConvertible {
  public var description: String {
    "the classes of a module cannot be enumerated here, so pass their list: \(reason)"
  }
}
