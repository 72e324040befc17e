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
  /// Each case of each test has a scope of its own, which goes with its task: tests may run at once. What the
  /// suite stores counts where it was tracked; an instance of the suite is gone before its test is checked. A
  /// test that failed is checked as well.
  public struct NoLeaksTrait: TestTrait, SuiteTrait, TestScoping {
    /// How long what lives on after the test may still do so.
    public var grace: Duration
    /// Whether a test may track nothing; unless it may, that is a failure: it would check nothing.
    public var allowEmpty: Bool
    /// Whether a failure says who holds what lives on; nil for what the suite's trait says, else
    /// `MemoryLeakMonitor.retainPaths`.
    public var paths: RetainPaths?

    public var isRecursive: Bool { true }

    public func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @Sendable () async throws -> Void
    ) async throws {
      // A trait of the test answers for whether it tracks, not that of its suite.
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

    /// Fails a test for each object that it tracked and that lives on after `grace`, and, unless
    /// `allowEmpty`, if it tracked none; with `paths` that are `.shown()` it says who holds them.
    public static func noLeaks(
      allowEmpty: Bool = false, grace: Duration = .seconds(1), paths: RetainPaths? = nil
    ) -> Self {
      NoLeaksTrait(grace: grace, allowEmpty: allowEmpty, paths: paths)
    }
  }
#endif
