#if canImport(XCTest)
  import Dispatch
  import Foundation
  public import LeakMonitoring
  public import XCTest

  /// A test case that fails if its properties are not reset in `tearDown`, or if the objects that
  /// they held survive it.
  ///
  /// ```swift
  /// final class ScreenTests: LeakCheckTestCase {
  ///   private var screen: Screen!
  ///
  ///   override func setUp() { screen = Screen() }
  ///   override func tearDown() { screen = nil }
  ///
  ///   func testOpens() { screen.open() }
  /// }
  /// ```
  ///
  /// XCTest keeps test cases, and so the objects in their properties, until the end of the run. The
  /// check reports two kinds of failures. A property that holds an object after `tearDown` is
  /// *missing from tearDown*. An object that a property held before `tearDown`, and that survives
  /// although no property holds it any more, is a *potential memory leak*. The check covers the
  /// properties of superclasses, and the objects in optionals, containers, structs and enums.
  ///
  /// The check does not report:
  ///
  /// - constants, that is, objects that properties hold before `setUp`;
  /// - properties that always hold an object;
  /// - lazy, weak and unowned properties;
  /// - objects that a teardown block releases, unless the test tracks them.
  open class LeakCheckTestCase: XCTestCase {
    /// The time for which an object may survive `tearDown`; a second by default.
    ///
    /// If a tracked object has a longer duration, that one applies to all objects of the test.
    open var leakGrace: Duration { .seconds(1) }

    /// Returns whether an object may survive because it does not belong to the test.
    ///
    /// By default it returns true for the objects that Foundation shares, and for those passed to
    /// `MemoryLeakMonitor.markLongLived`.
    open func isLongLived(_ object: AnyObject) -> Bool {
      SharedObjects.contain(object) || MemoryLeakMonitor.current.isLongLived(object)
    }

    /// Whether a failure includes the holder of a survivor; `MemoryLeakMonitor.retainPaths` by
    /// default.
    open var retainPaths: RetainPaths { MemoryLeakMonitor.retainPaths }

    /// Runs the test, then checks its properties and its tracked objects.
    open override func invokeTest() {
      retainPaths.requireTime()
      // XCTest reports the start of a test to `RunningTestCase`, which then has a scope. If other
      // code calls this method, there is no such scope, and the new one stays empty.
      let scope = RunningTestCase.scope(of: self) ?? LeakScope(inside: nil)
      let check = PropertyCheck(of: self)
      // XCTest runs teardown blocks before `tearDown`, the first added block last.
      addTeardownBlock { [unowned self] in check.note(self) }
      pooled { super.invokeTest() }
      for message in check.missing(in: self) { RunningTest.record(message, of: self) }
      let held = check.heldObjects(by: self)
      let grace = max(leakGrace, scope.grace)
      var tracked: Set<ObjectIdentifier> = []
      var patience = Patience(grace) {
        let mine = scope.survivors
        tracked = Set(mine.map(\.identifier))
        return (mine + check.survivors).filter { !held.contains($0.identifier) }
      }
      let survivors = patience.waitPumping()
      scope.close()
      report(survivors, tracked, check, after: grace)
    }

    /// Records each object once: a tracked object at its site, and any other with the property that
    /// held it.
    private func report(
      _ survivors: [TrackedObject], _ tracked: Set<ObjectIdentifier>, _ check: PropertyCheck,
      after grace: Duration
    ) {
      let paths = retainPaths
      var search = MemoryLeakMonitor.current.holderSearch(showing: paths)
      var reported: Set<ObjectIdentifier> = []
      for survivor in survivors where reported.insert(survivor.identifier).inserted {
        if tracked.contains(survivor.identifier) {
          RunningTest.record(survivor.survived(grace, &search), showing: paths)
        } else {
          RunningTest.record(
            check.message(about: survivor, after: grace, &search), of: self)
        }
      }
    }
  }

  // MARK: Properties

  /// Weak references to the objects that the properties of a test case held before `setUp` and
  /// before `tearDown`.
  private final class PropertyCheck {
    private struct Entry {
      let property: String
      let object: TrackedObject
    }

    /// The objects that each property held before `setUp`.
    private var constants: [TestProperty.Key: [TrackedObject]] = [:]
    /// The properties that `tearDown` cannot reset: those of a class type, which always hold an
    /// object, and those that held a closure before `setUp`.
    private var alwaysFull: Set<TestProperty.Key> = []
    /// The objects whose deallocation the check expects.
    private var noted: [Entry] = []

    /// Creates a check of a test case that is not set up yet.
    init(of testCase: LeakCheckTestCase) {
      for property in Self.properties(of: testCase) {
        constants[property.key] = property.held.objects.map { Self.track($0) }
        if property.isObject || property.held.hasClosure { alwaysFull.insert(property.key) }
      }
      note(testCase)
    }

    /// Records the objects that the properties hold now, whose deallocation the check expects.
    func note(_ testCase: LeakCheckTestCase) {
      for property in Self.properties(of: testCase) {
        for object in property.held.objects where !testCase.isLongLived(object) {
          noted.append(Entry(property: property.name, object: Self.track(object)))
        }
      }
    }

    /// Returns a message for each property that `tearDown` should have reset but did not.
    func missing(in testCase: LeakCheckTestCase) -> [String] {
      Self.properties(of: testCase).compactMap { property in
        guard !property.isLazy && !alwaysFull.contains(property.key) else { return nil }
        let old = Set((constants[property.key] ?? []).filter(\.isAlive).map(\.identifier))
        let new = property.held.objects.first {
          !old.contains(ObjectIdentifier($0)) && !testCase.isLongLived($0)
        }
        let what = new.map { "an instance of \(TypeName.stable(type(of: $0)))" }
        guard let what = what ?? (property.held.hasClosure ? "a closure" : nil) else { return nil }
        return "`\(property.name)` still holds \(what): missing from tearDown or potential leak"
      }
    }

    /// Returns the objects that the properties hold now. They are no leaks, even if `tearDown`
    /// should have reset the property.
    func heldObjects(by testCase: LeakCheckTestCase) -> Set<ObjectIdentifier> {
      Set(Self.properties(of: testCase).flatMap(\.held.objects).map { ObjectIdentifier($0) })
    }

    /// The recorded objects that are still alive.
    var survivors: [TrackedObject] { noted.map(\.object).filter(\.isAlive) }

    /// Returns the message about a survivor that a property held.
    func message(
      about survivor: TrackedObject, after duration: Duration, _ search: inout HolderSearch
    ) -> String {
      let entry = noted.first { $0.object.isAlive && $0.object.identifier == survivor.identifier }
      let report = survivor.survived(duration, &search)
      let message =
        "potential memory leak: `\(entry?.property ?? "")` held an instance of "
        + "\(survivor.typeName), which is alive, expected to be gone within \(duration) after "
        + "tearDown\(report.advice)"
      return ([message] + report.holderLines.map { "  \($0)" }).joined(separator: "\n")
    }

    private static func properties(of testCase: LeakCheckTestCase) -> [TestProperty] {
      TestProperty.all(of: testCase, below: LeakCheckTestCase.self)
    }

    private static func track(_ object: AnyObject) -> TrackedObject {
      TrackedObject(
        object, at: CallSite(fileID: #fileID, filePath: #filePath, line: #line, column: #column))
    }
  }

  /// A stored property of a test case, with its value.
  struct TestProperty {
    /// The identity of a property: a superclass may declare a property of the same name.
    struct Key: Hashable {
      let owner: ObjectIdentifier
      let label: String
    }

    private static let lazyPrefix = "$__lazy_storage_$_"

    let key: Key
    let value: Any
    let held: HeldObjects

    private init(_ owner: AnyClass, _ label: String, _ value: Any) {
      key = Key(owner: ObjectIdentifier(owner), label: label)
      self.value = value
      held = HeldObjects(in: value)
    }

    var isLazy: Bool { key.label.hasPrefix(Self.lazyPrefix) }

    var name: String {
      isLazy ? String(key.label.dropFirst(Self.lazyPrefix.count)) : key.label
    }

    /// Whether the type of the property is a class, so that it always holds an object.
    var isObject: Bool { type(of: value) is AnyClass }

    /// Returns the strong properties of `testCase`, including those of its superclasses below
    /// `base`.
    static func all(of testCase: XCTestCase, below base: AnyClass) -> [TestProperty] {
      let isCustom = testCase is any CustomReflectable
      let mirrors = sequence(first: Mirror(reflecting: testCase), next: \.superclassMirror)
      return mirrors.prefix { $0.subjectType != base }.flatMap { mirror in
        mirror.strongChildren(isCustom: isCustom).compactMap { child in
          guard let owner = mirror.subjectType as? AnyClass, let label = child.label
          else { return nil }
          return TestProperty(owner, label, child.value)
        }
      }
    }
  }

  /// The objects that Foundation shares with all code or keeps for reuse.
  private enum SharedObjects {
    static func contain(_ object: AnyObject) -> Bool {
      switch object {
      case is FileManager: object === FileManager.default
      case is NotificationCenter: object === NotificationCenter.default
      case is UserDefaults: object === UserDefaults.standard
      case is ProcessInfo: object === ProcessInfo.processInfo
      case is Bundle: object === Bundle.main
      case is RunLoop: object === RunLoop.main || object === RunLoop.current
      case let thread as Thread: thread.isMainThread
      case is OperationQueue: object === OperationQueue.main
      // The global queues have Dispatch's own labels; on Linux each use creates another object.
      case let queue as DispatchQueue: queue.label.hasPrefix("com.apple.")
      case is AnyKeyPath: true
      case is NSNumber, is NSString, is NSNull, is NSDate: true
      default: false
      }
    }
  }
#endif
