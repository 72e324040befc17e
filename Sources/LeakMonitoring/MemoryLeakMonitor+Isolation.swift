extension MemoryLeakMonitor {
  /// The monitor behind the static functions here: that of the innermost `withIsolation` around the
  /// running task, else `shared`.
  public static var current: MemoryLeakMonitor { isolated ?? shared }

  /// Runs `body` with a monitor of its own behind the static functions, which begins with no counts and
  /// with the backend, the reporter and the settings of the one outside.
  ///
  /// Tests that run at once so do not count each other's instances. The monitor goes with the task: child
  /// tasks and tasks made by `Task {}` have it too; detached tasks and threads have not, and get it by
  /// `withIsolation(in:)` from whoever started them.
  ///
  /// - Parameter monitor: what `current` was where this task or thread was started, to have the same.
  public static func withIsolation<R>(
    in monitor: MemoryLeakMonitor? = nil, _ body: () throws -> R
  ) rethrows -> R {
    try $isolated.withValue(monitor ?? current.emptyCopy(), operation: body)
  }

  /// `withIsolation` of a body that suspends.
  public static func withIsolation<R>(
    in monitor: MemoryLeakMonitor? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
  ) async rethrows -> R {
    try await $isolated.withValue(
      monitor ?? current.emptyCopy(), operation: body, isolation: isolation)
  }
}
