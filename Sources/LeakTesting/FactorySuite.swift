import LeakMonitoring
public import RuntimeInspection

/// The factories of a program's screens, sessions or other objects that should die when closed: one
/// for each class.
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

  /// Adds the factory of a class. Traps if the class has one.
  ///
  /// - Parameters:
  ///   - type: The class that the factory makes.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - make: Makes an object and its parts, names them to the `FactoryProduct`, closes them and
  ///     keeps none.
  public mutating func register(
    _ type: AnyClass, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ make: @escaping @Sendable (FactoryProduct) async throws -> Void
  ) {
    precondition(
      !factories.contains { $0.type == type },
      "\(type) has a factory already; register one for each class")
    factories.append(
      LeakFactory(
        of: type, at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
        make))
  }

  /// Checks each factory, one after the other. If a factory throws, it records a failure with the
  /// factory's name and place, and goes on. A suite without factories is a failure at the caller's
  /// line: it would check nothing.
  ///
  /// - Returns: The names of all parts that live on.
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

// MARK: Coverage

extension FactorySuite {
  /// Compares the factories with `classes`.
  ///
  /// ```swift
  /// #expect(suite.coverage(of: [ProfileScreen.self, LoginScreen.self]) == .complete)
  /// ```
  ///
  /// An empty list is complete only with `allowEmpty`.
  public func coverage(of classes: [AnyClass], allowEmpty: Bool = false) -> FactoryCoverage {
    coverage(
      of: classes.map { DeclaredClass($0) }, allowEmpty: allowEmpty,
      among: Candidates(registered: classes))
  }

  /// Compares the factories with the subclasses of `base`.
  ///
  /// ```swift
  /// try suite.coverage(ofSubclassesOf: Screen.self, except: ["App.ListScreen"]).expectComplete()
  /// ```
  ///
  /// Private, nested and local classes count. A factory of a generic class with any arguments
  /// covers that class. `base` itself may have a factory or none.
  ///
  /// - Parameters:
  ///   - base: The superclass.
  ///   - modules: The modules that declare the classes; by default the one that declares `base`, or
  ///     the caller's if Swift does not describe `base`.
  ///   - exceptions: The names, as `FactoryCoverage.missing` has them, of classes that need no
  ///     factory, such as bases of others.
  ///   - registered: The classes to compare with where the runtime cannot enumerate classes.
  ///   - allowEmpty: Whether it is complete that there are no such classes; they may be in another
  ///     module.
  ///   - fileID: The caller's file.
  /// - Throws: `ClassesUnavailable` where the runtime cannot enumerate classes and none are
  ///   `registered`.
  public func coverage(
    ofSubclassesOf base: AnyClass, in modules: Set<String>? = nil,
    except exceptions: Set<String> = [], registered: [AnyClass]? = nil, allowEmpty: Bool = false,
    fileID: StaticString = #fileID
  ) throws(ClassesUnavailable) -> FactoryCoverage {
    let declared = DeclaredClass(base)
    let candidates = try Candidates(
      in: modules ?? [declared.module ?? Self.module(of: fileID)], or: registered)
    return coverage(
      of: candidates.classes.subclasses(of: base), allowing: [declared], except: exceptions,
      allowEmpty: allowEmpty, among: candidates)
  }

  /// Compares the factories with the classes for which `isWanted` is true, such as those that
  /// conform to a protocol.
  ///
  /// ```swift
  /// try suite.coverage(in: ["App"]) { $0 is any Closable.Type }.expectComplete()
  /// ```
  ///
  /// It is called for private, nested and local classes and actors, and for no generic class. The
  /// classes are those of `modules`, by default the caller's module; the other parameters are as
  /// for subclasses.
  public func coverage(
    in modules: Set<String>? = nil, except exceptions: Set<String> = [],
    registered: [AnyClass]? = nil, allowEmpty: Bool = false, fileID: StaticString = #fileID,
    where isWanted: (AnyClass) -> Bool
  ) throws(ClassesUnavailable) -> FactoryCoverage {
    let candidates = try Candidates(
      in: modules ?? [Self.module(of: fileID)], or: registered)
    return coverage(
      of: candidates.classes.conformers(isWanted), except: exceptions, allowEmpty: allowEmpty,
      among: candidates)
  }

  private static func module(of fileID: StaticString) -> String {
    String("\(fileID)".prefix { $0 != "/" })
  }

  /// - Parameter others: The classes that may have a factory.
  private func coverage(
    of wanted: [DeclaredClass], allowing others: [DeclaredClass] = [],
    except exceptions: Set<String> = [], allowEmpty: Bool, among candidates: Candidates
  ) -> FactoryCoverage {
    let required = wanted.filter { !exceptions.contains($0.name) }
    // By identity, not by number: the right number of factories may be for the wrong classes.
    return FactoryCoverage(
      missing: required.filter { declared in !factories.contains { declared.includes($0.type) } }
        .map(\.name),
      stale: factories.filter { factory in
        !(required + others).contains { $0.includes(factory.type) }
      }.map(\.description),
      staleExceptions: exceptions.subtracting((wanted + others).map(\.name)),
      emptyModules: candidates.emptyModules, isVacuous: wanted.isEmpty && !allowEmpty)
  }
}

/// The difference between the classes that should have a factory and those that have one.
public struct FactoryCoverage: Sendable, Equatable {
  /// The classes without a factory, each name once.
  public let missing: [String]
  /// The factories of other classes, by name.
  public let stale: [String]
  /// The exceptions that name none of the classes.
  public let staleExceptions: [String]
  /// The modules that declare no class, for example because their names are misspelled.
  public let emptyModules: [String]
  /// Whether there was no class that should have a factory, so that nothing was compared.
  public let isVacuous: Bool

  public static let complete = FactoryCoverage(missing: [], stale: [])

  init(
    missing: [String], stale: [String], staleExceptions: Set<String> = [],
    emptyModules: Set<String> = [], isVacuous: Bool = false
  ) {
    self.missing = Set(missing).sorted()
    self.stale = stale.sorted()
    self.staleExceptions = staleExceptions.sorted()
    self.emptyModules = emptyModules.sorted()
    self.isVacuous = isVacuous
  }
}

extension FactoryCoverage {
  /// Fails the running test, at the caller's line, with every difference.
  public func expectComplete(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    guard self != .complete else { return }
    RunningTest.record(
      "the classes and their factories differ: \(self)",
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

extension FactoryCoverage: CustomStringConvertible {
  public var description: String {
    var parts = [
      ("no factory for", missing), ("a factory too many, for", stale),
      ("excepted, but there is no", staleExceptions), ("no class in the module", emptyModules),
    ].filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    if isVacuous { parts.append("no class to be covered") }
    return parts.isEmpty ? "complete" : parts.joined(separator: "; ")
  }
}

/// The classes from which a suite selects those that should have a factory.
struct Candidates {
  let classes: DeclaredClasses
  /// The given modules that declare no class.
  let emptyModules: Set<String>

  init(registered types: [AnyClass]) {
    self.init(classes: DeclaredClasses(registered: types), emptyModules: [])
  }

  /// Takes the classes of `modules` or, where the runtime cannot enumerate them, the `registered`
  /// ones.
  init(
    in modules: Set<String>, or registered: [AnyClass]?,
    capability: RuntimeCapability = DeclaredClasses.capability
  ) throws(ClassesUnavailable) {
    if let registered, capability != .available {
      self.init(registered: registered)
    } else {
      let classes = try DeclaredClasses(in: modules, capability: capability)
      self.init(classes: classes, emptyModules: modules.subtracting(classes.modules))
    }
  }

  private init(classes: DeclaredClasses, emptyModules: Set<String>) {
    self.classes = classes
    self.emptyModules = emptyModules
  }
}
