import LeakMonitoring
import RuntimeInspection

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
///
/// In Swift Testing each of `factories` is an argument of one test; in XCTest `check()` is a test:
///
/// ```swift
/// final class ScreenFactoryTests: XCTestCase {
///   func testEachFactory() async {
///     await suite.check()
///   }
///
///   func testEachScreenHasAFactory() throws {
///     try suite.coverage(ofSubclassesOf: Screen.self).expectComplete()
///   }
/// }
/// ```
public struct FactorySuite: Sendable {
  /// In the order of registration.
  public private(set) var factories: [LeakFactory] = []

  public init() {}

  /// Adds the factory of a class; traps if it has one.
  ///
  /// `make` makes an object and what belongs to it, tells `FactoryProduct` of them, closes them and keeps none.
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

  /// `check` of each factory, one after the other, to the last: that one throws is recorded as a failure too, with its
  /// name and at its place. A suite without factories is one at the caller's line: it would check nothing.
  ///
  /// - Returns: the names of all parts that live on.
  @discardableResult
  public func check(
    within duration: Duration = .seconds(1), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async -> [String] {
    if factories.isEmpty {
      RunningTest.record(
        "expected a suite with factories, found none",
        at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }
    var names: [String] = []
    for factory in factories {
      do {
        names += try await factory.check(within: duration)
      } catch let error as FactoryError {
        RunningTest.record(error.description, at: factory.site)
      } catch {
        RunningTest.record("the factory of \(factory) threw \(error)", at: factory.site)
      }
    }
    return names
  }
}
