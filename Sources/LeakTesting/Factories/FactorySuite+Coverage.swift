public import RuntimeInspection

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
