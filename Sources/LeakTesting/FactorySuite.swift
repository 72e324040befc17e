import LeakMonitoring
public import RuntimeInspection

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

/// Completeness: compares the suite's classes with those that there are.
extension FactorySuite {
  /// Which of `classes` have no factory, and which factories are for others.
  ///
  /// ```swift
  /// #expect(suite.coverage(of: [ProfileScreen.self, LoginScreen.self]) == .complete)
  /// ```
  ///
  /// If there are none, that is complete only with `allowEmpty`.
  public func coverage(of classes: [AnyClass], allowEmpty: Bool = false) -> FactoryCoverage {
    coverage(
      of: classes.map { DeclaredClass($0) }, allowEmpty: allowEmpty,
      among: Candidates(registered: classes))
  }

  /// Which subclasses of `base` have no factory, and which factories are for other classes.
  ///
  /// ```swift
  /// try suite.coverage(ofSubclassesOf: Screen.self, except: ["App.ListScreen"]).expectComplete()
  /// ```
  ///
  /// Private, nested and local classes count. A generic one is covered by a factory of it with any arguments. `base`
  /// itself may have a factory or none.
  ///
  /// The classes are those of `modules`, or else of the module that declares `base`, or the caller's if Swift does not
  /// know that. Those with the names in `exceptions`, as `FactoryCoverage.missing` has them, need no factory, such as
  /// bases of others. Where the runtime does not tell which classes there are, they are those that are `registered`.
  /// That there are none is not complete, unless `allowEmpty` says that there may be: they may be in another module.
  ///
  /// - Throws: where it does not and nothing is `registered`: nothing is complete then.
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

  /// Which of the classes that `isWanted` is true of have no factory, and which factories are for other classes.
  ///
  /// ```swift
  /// try suite.coverage(in: ["App"]) { $0 is any Closable.Type }.expectComplete()
  /// ```
  ///
  /// For those that conform to a protocol. It is asked about private, nested and local classes and actors, and about
  /// none that is generic. The classes are those of `modules`, or else of the caller's module; all else is as for
  /// subclasses.
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

  /// - Parameter others: the classes that may have a factory.
  private func coverage(
    of wanted: [DeclaredClass], allowing others: [DeclaredClass] = [],
    except exceptions: Set<String> = [], allowEmpty: Bool, among candidates: Candidates
  ) -> FactoryCoverage {
    let required = wanted.filter { !exceptions.contains($0.name) }
    // By identity, not by number: as many as there should be may be the wrong ones.
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

/// Whether a suite has a factory for each class that should have one, and no other.
public struct FactoryCoverage: Sendable, Equatable {
  /// The classes without a factory, each name once.
  public let missing: [String]
  /// The factories of other classes, by name.
  public let stale: [String]
  /// The exceptions that are none of the classes.
  public let staleExceptions: [String]
  /// The modules that declare no class at all, as one whose name is misspelt.
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
  /// Fails the running test, at the caller's line, with all that keeps this from being `complete`.
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

/// The classes among which are those that are to have a factory.
struct Candidates {
  let classes: DeclaredClasses
  /// The modules that were named and declare no class.
  let emptyModules: Set<String>

  init(registered types: [AnyClass]) {
    self.init(classes: DeclaredClasses(registered: types), emptyModules: [])
  }

  /// The classes of `modules`; where there is no telling which these are, those that were `registered`.
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
