#if canImport(Testing)
  public import LeakMonitoring
  public import Testing

  /// Fails a test for each object that it tracked and that lives on after it.
  ///
  /// ```swift
  /// @Suite(.noLeaks) struct ScreenTests {
  ///   let screen = track(Screen())
  ///
  ///   @Test(arguments: [1, 2]) func `it opens`(_ times: Int) { … }
  /// }
  /// ```
  ///
  /// Each case of each test has its own scope, which belongs to its task: tests may run
  /// concurrently. An object that the suite stores counts where it was tracked; the instance of the
  /// suite is gone before its test is checked. A test that failed is checked as well.
  public struct NoLeaksTrait: TestTrait, SuiteTrait, TestScoping {
    /// How long an object may live on after the test.
    public var grace: Duration
    /// Whether a test may track nothing. If not, that is a failure, because the test would check
    /// nothing.
    public var allowEmpty: Bool
    /// Whether a failure says what holds a survivor. If nil, the suite's trait decides, or else
    /// `MemoryLeakMonitor.retainPaths`.
    public var paths: RetainPaths?

    public var isRecursive: Bool { true }

    public func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @Sendable () async throws -> Void
    ) async throws {
      // The test's own trait reports an empty test, not that of its suite.
      LeakScope.current?.noteUse()
      let scope = LeakScope(showing: paths)
      do {
        try await scope.run(isolation: nil, function)
      } catch {
        await scope.end(within: grace)
        throw error
      }
      await scope.end(within: grace)
      if scope.isEmpty && !allowEmpty {
        Issue.record(
          "nothing tracked: pass what is to be gone to track(_:), or say .noLeaks(allowEmpty: true)",
          sourceLocation: test.sourceLocation)
      }
    }
  }

  extension Trait where Self == NoLeaksTrait {
    /// Fails a test for each object that it tracked and that lives on, and if it tracked none.
    public static var noLeaks: Self { noLeaks() }

    /// Fails a test for each object that it tracked and that lives on after `grace` and, unless
    /// `allowEmpty`, if it tracked none. With `paths` that are `.shown()`, a failure says what
    /// holds the object.
    public static func noLeaks(
      allowEmpty: Bool = false, grace: Duration = .seconds(1), paths: RetainPaths? = nil
    ) -> Self {
      NoLeaksTrait(grace: grace, allowEmpty: allowEmpty, paths: paths)
    }
  }
#endif
