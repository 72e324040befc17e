import LeakMonitoring
import WeakCollections

/// Makes an object of one class as the program does, closes it and lets it go, for a test to see what survives.
///
/// Registered in a `FactorySuite`; an argument for a test of each:
///
/// ```swift
/// @Test(arguments: suite.factories)
/// func `what is closed is gone`(_ factory: LeakFactory) async throws {
///   try await factory.check()
/// }
/// ```
public struct LeakFactory: Sendable {
  /// The class that it is for.
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

  /// Has the object made, closed and let go, and records each of its parts that lives on as a failure of the running
  /// test, by name and at the place where the factory was registered.
  ///
  /// Returns as soon as all are gone, else after `duration`. That they live is asked in no actor, so that what is to be
  /// released in one can be. The failure depends neither on the reporter of monitors nor on whether those are on.
  /// What the objects themselves validate is counted in a monitor of its own, as by `withIsolation`, which has the
  /// reporter of the current one.
  ///
  /// - Returns: the names of the parts that live on, in the order in which the factory told of them.
  /// - Throws: `FactoryError`, and what the factory throws; nothing is checked then.
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

/// What is wrong with a factory.
public enum FactoryError: Error, Equatable {
  /// It did not say what its root is.
  case noRoot(String)
  /// It made an object of another class.
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

/// What a factory has made and expects to go with it; holds it weakly.
public final class FactoryProduct: Sendable {
  private let typeName: String
  private let site: CallSite
  private let scope = LeakScope(inside: nil)
  private let root = MutexLock<AnyClass?>(nil)

  init(of type: AnyClass, at site: CallSite) {
    typeName = TypeName.short(type)
    self.site = site
  }

  /// Says that `object` is the one that the factory is for; traps the second time.
  public func root(_ object: AnyObject) {
    let isFirst = root.write { root in
      guard root == nil else { return false }
      root = type(of: object)
      return true
    }
    precondition(isFirst, "expected a factory to make one root")
    add(object, named: typeName)
  }

  /// Says that `object` belongs to the root and is to go with it, as a screen's view model; in reports `name`
  /// stands after the root's.
  public func dependant(_ object: AnyObject, named name: String) {
    add(object, named: "\(typeName).\(name)")
  }

  /// The class of the root.
  var rootType: AnyClass? { root.read { $0 } }

  /// Records what lives on; returns the names of that.
  func end(within duration: Duration) async -> [String] {
    await scope.end(within: duration).map(\.description)
  }

  private func add(_ object: AnyObject, named name: String) {
    scope.add(TrackedObject(object, describedAs: name, at: site))
  }
}
