import LeakMonitoring
public import RuntimeInspection

/// The factories of a program's classes whose objects should be deallocated when they are closed,
/// such as screens and sessions.
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
/// In Swift Testing, each of `factories` is an argument of one test. In XCTest, one test calls
/// `check()`:
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
  /// The factories, in the order of registration.
  public private(set) var factories: [LeakFactory] = []

  /// Creates a suite without factories.
  public init() {}

  /// Adds the factory of a class.
  ///
  /// - Parameters:
  ///   - type: The class that the factory makes.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - make: Makes an object and its parts, names them in the `FactoryProduct`, and closes them.
  ///     It must not keep a reference to them.
  /// - Precondition: The class has no factory in this suite.
  public mutating func register(
    _ type: AnyClass, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ make: @escaping @Sendable (FactoryProduct) async throws -> Void
  ) {
    guard (!factories.contains { $0.type == type }) else {
      fatalError("\(type) already has a factory; register one factory for each class")
    }
    factories.append(
      LeakFactory(
        of: type, at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
        make))
  }

  /// Checks each factory, one after the other.
  ///
  /// If a factory throws, records a failure with the factory's name and place, and continues with
  /// the next one. A suite without factories fails at the caller's line, because it would check
  /// nothing.
  ///
  /// - Parameters:
  ///   - duration: The time for which a part may survive.
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Returns: The names of all surviving parts.
  @discardableResult
  public func check(
    within duration: Duration = .seconds(1), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async -> [String] {
    if factories.isEmpty {
      RunningTest.record(
        "the suite has no factories, so nothing was checked; register(_:_:) adds one",
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
  /// Compares the factories with a list of classes.
  ///
  /// ```swift
  /// #expect(suite.coverage(of: [ProfileScreen.self, LoginScreen.self]) == .complete)
  /// ```
  ///
  /// - Parameters:
  ///   - classes: The classes that need a factory.
  ///   - allowEmpty: Whether the coverage of an empty list is complete.
  /// - Returns: The differences; `.complete` if there are none.
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
  /// The comparison includes private, nested and local classes. A generic class needs one factory,
  /// with any arguments. `base` itself may have a factory, but needs none.
  ///
  /// - Parameters:
  ///   - base: The superclass.
  ///   - modules: The modules that declare the classes; by default the one that declares `base`, or
  ///     the caller's if Swift does not describe `base`.
  ///   - exceptions: The names of classes that need no factory, such as abstract base classes,
  ///     written as in `FactoryCoverage.missing`.
  ///   - registered: The classes to compare with if the runtime cannot enumerate classes.
  ///   - allowEmpty: Whether the coverage is complete if there are no subclasses. If false, a wrong
  ///     module is not mistaken for complete coverage.
  ///   - fileID: The caller's file.
  /// - Returns: The differences; `.complete` if there are none.
  /// - Throws: `ClassesUnavailable` if the runtime cannot enumerate classes and `registered` is
  ///   nil.
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
  /// The comparison includes private, nested and local classes and actors, but no generic classes.
  ///
  /// - Parameters:
  ///   - modules: The modules that declare the classes; the caller's module by default.
  ///   - exceptions: The names of classes that need no factory, written as in
  ///     `FactoryCoverage.missing`.
  ///   - registered: The classes to compare with if the runtime cannot enumerate classes.
  ///   - allowEmpty: Whether the coverage is complete if there are no such classes.
  ///   - fileID: The caller's file.
  ///   - isWanted: Returns whether a class needs a factory.
  /// - Returns: The differences; `.complete` if there are none.
  /// - Throws: `ClassesUnavailable` if the runtime cannot enumerate classes and `registered` is
  ///   nil.
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

  /// Compares the factories with the `wanted` classes.
  ///
  /// - Parameter others: The classes that may have a factory, but need none.
  private func coverage(
    of wanted: [DeclaredClass], allowing others: [DeclaredClass] = [],
    except exceptions: Set<String> = [], allowEmpty: Bool, among candidates: Candidates
  ) -> FactoryCoverage {
    let required = wanted.filter { !exceptions.contains($0.name) }
    // Compares classes, not counts: the right number of factories may belong to the wrong classes.
    return FactoryCoverage(
      missing: required.filter { declared in !factories.contains { declared.includes($0.type) } }
        .map(\.name),
      unneeded: factories.filter { factory in
        !(required + others).contains { $0.includes(factory.type) }
      }.map(\.description),
      unmatchedExceptions: exceptions.subtracting((wanted + others).map(\.name)),
      emptyModules: candidates.emptyModules, isVacuous: wanted.isEmpty && !allowEmpty)
  }
}

/// The differences between the classes that need a factory and the classes that have one.
public struct FactoryCoverage: Sendable, Equatable {
  /// The classes without a factory, each name once.
  public let missing: [String]
  /// The names of classes that have a factory and need none.
  public let unneeded: [String]
  /// The exceptions that match none of the compared classes.
  public let unmatchedExceptions: [String]
  /// The modules that declare no class, for example because their names are misspelled.
  public let emptyModules: [String]
  /// Whether no class needs a factory, so that there was nothing to compare.
  public let isVacuous: Bool

  /// A coverage without differences.
  public static let complete = FactoryCoverage(missing: [], unneeded: [])

  init(
    missing: [String], unneeded: [String], unmatchedExceptions: Set<String> = [],
    emptyModules: Set<String> = [], isVacuous: Bool = false
  ) {
    self.missing = Set(missing).sorted()
    self.unneeded = unneeded.sorted()
    self.unmatchedExceptions = unmatchedExceptions.sorted()
    self.emptyModules = emptyModules.sorted()
    self.isVacuous = isVacuous
  }
}

extension FactoryCoverage {
  /// Fails the running test, at the caller's line, if there are differences; the failure lists
  /// them.
  ///
  /// - Parameters:
  ///   - fileID: The call site, as are `filePath`, `line` and `column`.
  ///   - filePath: The file of the call.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
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
  /// The differences on one line; "complete" if there are none.
  public var description: String {
    var parts = [
      ("no factory for", missing), ("unneeded factory for", unneeded),
      ("exception without a class", unmatchedExceptions), ("no class in the module", emptyModules),
    ].filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    if isVacuous { parts.append("no class to cover") }
    return parts.isEmpty ? "complete" : parts.joined(separator: "; ")
  }
}

/// The classes among which a suite searches for those that need a factory.
struct Candidates {
  let classes: DeclaredClasses
  /// The given modules that declare no class.
  let emptyModules: Set<String>

  init(registered types: [AnyClass]) {
    self.init(classes: DeclaredClasses(registered: types), emptyModules: [])
  }

  /// Selects the classes of `modules`, or the `registered` ones if the runtime cannot enumerate
  /// classes.
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
