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

  private let make: @Sendable (FactoryProduct) async throws -> Void
  private let site: CallSite

  init(
    of type: AnyClass, at site: CallSite,
    _ make: @escaping @Sendable (FactoryProduct) async throws -> Void
  ) {
    self.type = type
    self.site = site
    self.make = make
  }

  /// Has the object made, closed and let go, and reports each of its parts that still lives after a grace period as a
  /// survivor, by name and at the place where the factory was registered. Returns as soon as all are gone.
  ///
  /// The monitor is one of its own, as by `withIsolation`, with the reporter of the current one: unless that was
  /// replaced, a report is a failure of the running test. With another reporter, or while monitors are off, ask what
  /// is returned. Whether the parts live is asked in another task.
  ///
  /// - Returns: the names of the parts that live.
  /// - Throws: `FactoryError`, and what the factory throws.
  @discardableResult
  public func check(within duration: Duration = .seconds(1)) async throws -> [String] {
    let product = FactoryProduct(of: type)
    try await MemoryLeakMonitor.withIsolation {
      try await make(product)
      try requireRoot(of: product)
      for part in product.parts { expectDeallocation(of: part, within: duration) }
    }
    return product.parts.filter { $0.reference.promote() != nil }.map(\.name)
  }

  private func requireRoot(of product: FactoryProduct) throws(FactoryError) {
    guard let root = product.root else { throw .noRoot(description) }
    guard root.type == type else {
      throw .otherRoot(TypeName.stable(root.type), expected: description)
    }
  }

  private func expectDeallocation(of part: FactoryProduct.Part, within duration: Duration) {
    guard let object = part.reference.promote() else { return }
    MemoryLeakMonitor.current.expectDeallocation(
      of: object, describedAs: part.name, within: duration, at: site)
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
