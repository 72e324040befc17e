import LeakMonitoring
import WeakCollections

/// A factory that makes an object of one class as the program does, closes it and releases it. A
/// test then checks which parts survive.
///
/// A `FactorySuite` registers factories. Each factory is an argument of one test:
///
/// ```swift
/// @Test(arguments: suite.factories)
/// func `what is closed is gone`(_ factory: LeakFactory) async throws {
///   try await factory.check()
/// }
/// ```
public struct LeakFactory: Sendable {
  /// The class of the objects that the factory makes.
  public let type: AnyClass

  /// The place where the factory was registered.
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

  /// Runs the factory. For each part that survives, records a failure of the running test, with the
  /// part's name and at the place where the factory was registered.
  ///
  /// Returns as soon as all parts are deallocated, at the latest after `duration`. The check runs
  /// outside of every actor, so that code on any actor can release the parts. It works even if
  /// monitors are off, and does not depend on their reporters. If the objects validate themselves,
  /// a separate monitor counts them, as in `withIsolation`; it has the reporter of the current
  /// monitor.
  ///
  /// - Parameter duration: The time for which a part may survive.
  /// - Returns: The names of the surviving parts, in the order in which the factory named them.
  /// - Throws: `FactoryError` if the factory named no root or a root of another class; any error
  ///   that the factory throws. Then nothing was checked.
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

/// A mistake in a factory.
public enum FactoryError: Error, Equatable {
  /// The factory of this class named no root.
  case noRoot(String)
  /// The factory of the class `expected` named a root of another class.
  case otherRoot(String, expected: String)
}

extension FactoryError: CustomStringConvertible {
  /// The mistake, and how to fix it.
  public var description: String {
    switch self {
    case .noRoot(let factory):
      "the factory of \(factory) named no root; pass the object that it makes to root(_:)"
    case .otherRoot(let found, let factory):
      "the factory of \(factory) named a root of the class \(found); pass an instance of exactly "
        + "\(factory) to root(_:)"
    }
  }
}

/// The root and the other parts that a factory has made, all of which should be deallocated. Holds
/// them weakly.
public final class FactoryProduct: Sendable {
  private let typeName: String
  private let site: CallSite
  private let scope = LeakScope(inside: nil)
  private let root = MutexLock<AnyClass?>(nil)

  init(of type: AnyClass, at site: CallSite) {
    typeName = TypeName.short(type)
    self.site = site
  }

  /// Names `object` as the root: the object of the factory's class.
  ///
  /// - Precondition: The factory has named no root before.
  public func root(_ object: AnyObject) {
    let isFirst = root.write { root in
      guard root == nil else { return false }
      root = type(of: object)
      return true
    }
    guard isFirst else {
      fatalError(
        "the factory of \(typeName) called root(_:) twice; call it once, and dependant(_:named:) for "
          + "the other parts")
    }
    add(object, named: typeName)
  }

  /// Names `object` as a part that should be deallocated with the root, such as a screen's view
  /// model.
  ///
  /// - Parameters:
  ///   - object: The part. The product holds it weakly.
  ///   - name: The name of the part, which follows the name of the root in failures.
  public func dependant(_ object: AnyObject, named name: String) {
    add(object, named: "\(typeName).\(name)")
  }

  /// The class of the root.
  var rootType: AnyClass? { root.read { $0 } }

  /// Records a failure for each surviving part; returns their names.
  func end(within duration: Duration) async -> [String] {
    await scope.end(within: duration).map(\.description)
  }

  private func add(_ object: AnyObject, named name: String) {
    scope.add(TrackedObject(object, describedAs: name, at: site))
  }
}
