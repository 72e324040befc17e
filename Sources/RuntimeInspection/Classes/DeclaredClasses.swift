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
