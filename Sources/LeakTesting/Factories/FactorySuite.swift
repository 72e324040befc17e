import LeakMonitoring

/// The factories of a program's screens, sessions or whatever is to die when it is closed: one for each class.
///
/// ```swift
/// var suite = FactorySuite()
/// suite.register(ProfileScreen.self) { product in
///   let screen = ProfileScreen(ProfileModel())
///   product.root(screen)
///   product.dependant(screen.model, named: "model")
///   screen.close()
/// }
/// ```
public struct FactorySuite: Sendable {
  /// In the order of registration.
  public private(set) var factories: [LeakFactory] = []

  public init() {}

  /// Adds the factory of a class; traps if it has one.
  ///
  /// - Parameter make: makes an object and what belongs to it, tells `FactoryProduct` of them, closes them and
  ///   keeps none.
  public mutating func register(
    _ type: AnyClass, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ make: @escaping @Sendable (FactoryProduct) async throws -> Void
  ) {
    precondition(
      !factories.contains { $0.type == type }, "expected one factory for a class, found another")
    factories.append(
      LeakFactory(
        of: type, at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
        make))
  }

  /// `check` of each factory, one after the other.
  ///
  /// - Returns: the names of all parts that live.
  @discardableResult
  public func check(within duration: Duration = .seconds(1)) async throws -> [String] {
    var names: [String] = []
    for factory in factories { names += try await factory.check(within: duration) }
    return names
  }

  /// Which of `classes` have no factory, and which factories are for others.
  ///
  /// ```swift
  /// #expect(suite.coverage(of: [ProfileScreen.self, LoginScreen.self]) == .complete)
  /// ```
  public func coverage(of classes: [AnyClass]) -> FactoryCoverage {
    // By identity, not by number: as many as there should be may be the wrong ones.
    let wanted = Set(classes.map { ObjectIdentifier($0) })
    let present = Set(factories.map { ObjectIdentifier($0.type) })
    return FactoryCoverage(
      missing: classes.filter { !present.contains(ObjectIdentifier($0)) }.map(TypeName.stable),
      stale: factories.filter { !wanted.contains(ObjectIdentifier($0.type)) }.map(\.description))
  }
}

/// Whether a suite has a factory for each class that should have one, and no other.
public struct FactoryCoverage: Sendable, Equatable {
  /// The classes without a factory, each once, by name.
  public let missing: [String]
  /// The factories of other classes, by name.
  public let stale: [String]

  public static let complete = FactoryCoverage(missing: [], stale: [])

  init(missing: [String], stale: [String]) {
    self.missing = Set(missing).sorted()
    self.stale = stale.sorted()
  }
}

extension FactoryCoverage: CustomStringConvertible {
  public var description: String {
    let parts = [("no factory for", missing), ("a factory too many, for", stale)]
      .filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    return parts.isEmpty ? "complete" : parts.joined(separator: "; ")
  }
}
