#if canImport(Testing)
  public import LeakMonitoring
  public import Testing

  /// A trait that fails a test for each object that the test tracked and that outlives it.
  ///
  /// ```swift
  /// @Suite(.noLeaks) struct ScreenTests {
  ///   let screen = track(Screen())
  ///
  ///   @Test(arguments: [1, 2]) func `it opens`(_ times: Int) { … }
  /// }
  /// ```
  ///
  /// Each case of each test has its own scope, which belongs to its task, so tests may run
  /// concurrently. The suite may store tracked objects, because Swift Testing releases the instance
  /// of the suite before the trait checks the test. The trait also checks a test that has failed;
  /// an object that only the error of the test holds is no leak.
  ///
  /// Do not track an argument of a parameterized test: the arguments are alive until all cases have
  /// run, so the failure says that an argument holds the object.
  public struct NoLeaksTrait: TestTrait, SuiteTrait, TestScoping {
    /// The time for which an object may outlive the test.
    public var grace: Duration
    /// Whether a test may track no object. If false, such a test fails, because the trait would
    /// check nothing.
    public var allowEmpty: Bool
    /// Whether a failure includes the holder of a survivor.
    ///
    /// If nil, the setting of the suite's trait applies, or without one
    /// `MemoryLeakMonitor.retainPaths`.
    public var paths: RetainPaths?

    /// Whether the trait of a suite applies to its tests: true.
    public var isRecursive: Bool { true }

    /// Runs a test in a scope of its own, and checks the tracked objects.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The case of the test, if the test has cases.
    ///   - function: Runs the test.
    /// - Throws: The error of the test, after the check.
    public func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @Sendable () async throws -> Void
    ) async throws {
      // The innermost trait reports an empty test, so the outer scope of the suite's trait must
      // not.
      LeakScope.current?.noteUse()
      let scope = LeakScope(showing: paths)
      do {
        try await scope.run(isolation: nil, function)
      } catch {
        await scope.end(within: grace, throwing: error)
        throw error
      }
      await scope.end(within: grace)
      if scope.isEmpty && !allowEmpty {
        Issue.record(
          """
          nothing tracked, so nothing was checked: pass an object to track(_:), \
          or use .noLeaks(allowEmpty: true)
          """,
          sourceLocation: test.sourceLocation)
      }
    }
  }

  extension Trait where Self == NoLeaksTrait {
    /// A trait that fails a test for each object that the test tracked and that outlives it by a
    /// second, and for a test that tracked no object.
    ///
    /// ```swift
    /// @Test(.noLeaks) func `a screen is released`() {
    ///   let screen = track(Screen())
    ///   screen.open()
    /// }
    /// ```
    public static var noLeaks: Self { noLeaks() }

    /// Returns a trait that fails a test for each object that the test tracked and that outlives
    /// it.
    ///
    /// - Parameters:
    ///   - allowEmpty: Whether a test may track no object. If false, such a test fails.
    ///   - grace: The time for which an object may outlive the test.
    ///   - paths: Whether a failure includes the holder of a survivor. If nil, the setting of the
    ///     suite's trait applies, or without one `MemoryLeakMonitor.retainPaths`.
    public static func noLeaks(
      allowEmpty: Bool = false, grace: Duration = .seconds(1), paths: RetainPaths? = nil
    ) -> Self {
      NoLeaksTrait(grace: grace, allowEmpty: allowEmpty, paths: paths)
    }
  }
#endif
