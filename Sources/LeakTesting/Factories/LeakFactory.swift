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
