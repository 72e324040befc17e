#if canImport(XCTest)
  public import LeakMonitoring
  public import XCTest

  /// A test case whose properties must be let go in `tearDown`, and what they held must be gone soon after.
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
  /// XCTest keeps test cases to the end of the run, and so what their properties hold. A property that holds an
  /// object after `tearDown` is *missing from tearDown*; an object that a property held before it, and that
  /// lives on although none does now, is a *potential memory leak*. The properties of superclasses count, and
  /// what is in optionals, containers, structs and enums. Not reported are constants, which are what properties
  /// hold before `setUp`, and properties that always hold an object; lazy properties; weak and unowned ones; what a
  /// teardown block lets go of, unless it is tracked.
  open class LeakCheckTestCase: XCTestCase {
    /// How long an object may live on after `tearDown`; a second unless overridden. One that is tracked with a
    /// longer duration has that.
    open var leakGrace: Duration { .seconds(1) }

    /// Whether an object is none of the test's: it may live on. By default those that Foundation shares and
    /// those that `MemoryLeakMonitor.markLongLived` was told of.
    open func isLongLived(_ object: AnyObject) -> Bool {
      SharedObjects.contain(object) || MemoryLeakMonitor.current.isLongLived(object)
    }

    /// Whether a failure says who holds what lives on; `MemoryLeakMonitor.retainPaths` unless overridden.
    open var retainPaths: RetainPaths { MemoryLeakMonitor.retainPaths }

    open override func invokeTest() {
      retainPaths.requireTime()
      // XCTest tells who starts; whoever calls this otherwise has a scope that nothing is tracked in.
      let scope = RunningTestCase.scope(of: self) ?? LeakScope(inside: nil)
      let check = PropertyCheck(of: self)
      // XCTest runs the block that was added first as the last one, and before `tearDown`.
      addTeardownBlock { [unowned self] in check.noteObjects(of: self) }
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

    /// Records each object once: what was tracked where it was, the others by the property that held them.
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
#endif
