#if canImport(XCTest)
  import LeakMonitoring
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
  /// hold before `setUp`, and properties that always hold an object; lazy properties; weak and unowned ones.
  open class LeakCheckTestCase: XCTestCase {
    /// The objects that were passed to `track` in the running test.
    private var scope = LeakScope(inside: nil)

    /// How long an object may live on after `tearDown`; a second unless overridden.
    open var leakGrace: Duration { .seconds(1) }

    /// Whether an object is none of the test's: it may live on. By default those that Foundation shares and
    /// those that `MemoryLeakMonitor.markLongLived` was told of.
    open func isLongLived(_ object: AnyObject) -> Bool {
      SharedObjects.contain(object) || MemoryLeakMonitor.current.isLongLived(object)
    }

    open override func invokeTest() {
      scope = LeakScope(inside: nil)
      let check = PropertyCheck(of: self)
      // XCTest runs the block that was added first as the last one, and before `tearDown`.
      addTeardownBlock { [unowned self] in check.noteObjects(of: self) }
      pooled { super.invokeTest() }
      for message in check.missing(in: self) { RunningTest.record(message, of: self) }
      let held = check.heldObjects(by: self)
      var patience = Patience(leakGrace) { [scope] in
        (scope.survivors + check.survivors).filter { !held.contains($0.identifier) }
      }
      report(patience.waitPumping(), check)
    }

    func trackToEnd(_ object: AnyObject, at site: CallSite) {
      scope.add(object, at: site)
    }

    /// Records each object once: what was tracked where it was, the others by the property that held them.
    private func report(_ survivors: [TrackedObject], _ check: PropertyCheck) {
      var reported: Set<ObjectIdentifier> = []
      let tracked = Set(scope.survivors.map(\.identifier))
      for survivor in survivors where reported.insert(survivor.identifier).inserted {
        if tracked.contains(survivor.identifier) {
          RunningTest.record(survivor.survived(leakGrace))
        } else {
          RunningTest.record(check.message(about: survivor, after: leakGrace), of: self)
        }
      }
    }
  }
#endif
