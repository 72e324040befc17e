import LeakMonitoring
import WeakCollections

/// Makes an object of one class as the program does, closes and releases it, so that a test can see
/// what survives.
///
/// A `FactorySuite` registers factories. Each of them is an argument of one test:
///
/// ```swift
/// @Test(arguments: suite.factories)
/// func `what is closed is gone`(_ factory: LeakFactory) async throws {
///   try await factory.check()
/// }
/// ```
public struct LeakFactory: Sendable {
  /// The class of the objects that it makes.
  public let type: AnyClass

  /// Where it was registered.
  let site: CallSite

  private let make: @Sendable (FactoryProduct) async throws -> Void

  init(
    of type: AnyClass, at site: CallSite,
    _ make: @escaping @Sendable (FactoryProduct) async throws -> Void
  ) {
    self.type = type
    self.site = site
    self.make = make
  }

  /// Runs the factory and records each part that lives on as a failure of the running test, by name
  /// and at the place where the factory was registered.
  ///
  /// Returns as soon as all parts are gone, or else after `duration`. It checks outside of every
  /// actor, so that code on any actor can release them. The failure depends neither on the
  /// reporters of monitors nor on whether those are on. A separate monitor, as in `withIsolation`,
  /// counts what the objects themselves validate; it has the reporter of the current one.
  ///
  /// - Returns: The names of the parts that live on, in the order in which the factory named them.
  /// - Throws: `FactoryError`, and the errors of the factory. Nothing is checked then.
  @discardableResult
  public func check(within duration: Duration = .seconds(1)) async throws -> [String] {
    let product = FactoryProduct(of: type, at: site)
    try await MemoryLeakMonitor.withIsolation { try await make(product) }
    try requireRoot(of: product)
    return await product.end(within: duration)
  }

  private func requireRoot(of product: FactoryProduct) throws(FactoryError) {
    guard let root = product.rootType else { throw .noRoot(description) }
    guard root == type else {
      throw .otherRoot(TypeName.stable(root), expected: description)
    }
  }
}

extension LeakFactory: CustomStringConvertible {
  /// The class's name with its module.
  public var description: String { TypeName.stable(type) }
}

/// The mistake of a factory.
public enum FactoryError: Error, Equatable {
  /// It named no root.
  case noRoot(String)
  /// Its root is an object of another class.
  case otherRoot(String, expected: String)
}

extension FactoryError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noRoot(let factory): "the factory of \(factory) called root(_:) for nothing"
    case .otherRoot(let found, let factory): "the factory of \(factory) made a \(found)"
    }
  }
}

/// The parts that a factory has made, all of which should die with the root; holds them weakly.
public final class FactoryProduct: Sendable {
  private let typeName: String
  private let site: CallSite
  private let scope = LeakScope(inside: nil)
  private let root = MutexLock<AnyClass?>(nil)

  init(of type: AnyClass, at site: CallSite) {
    typeName = TypeName.short(type)
    self.site = site
  }

  /// Names `object` as the root, the object that the factory is for. Traps if there is a root
  /// already.
  public func root(_ object: AnyObject) {
    let isFirst = root.write { root in
      guard root == nil else { return false }
      root = type(of: object)
      return true
    }
    precondition(isFirst, "a factory called root(_:) twice; call it for one object")
    add(object, named: typeName)
  }

  /// Names `object` as a part that should die with the root, such as a screen's view model. In
  /// reports `name` follows the root's.
  public func dependant(_ object: AnyObject, named name: String) {
    add(object, named: "\(typeName).\(name)")
  }

  /// The class of the root.
  var rootType: AnyClass? { root.read { $0 } }

  /// Records the parts that live on; returns their names.
  func end(within duration: Duration) async -> [String] {
    await scope.end(within: duration).map(\.description)
  }

  private func add(_ object: AnyObject, named name: String) {
    scope.add(TrackedObject(object, describedAs: name, at: site))
  }
}
