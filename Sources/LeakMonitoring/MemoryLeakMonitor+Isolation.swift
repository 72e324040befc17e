extension MemoryLeakMonitor {
  /// The monitor behind the static functions here: that of the innermost `withIsolation` around the
  /// running task, else `shared`.
  public static var current: MemoryLeakMonitor { isolated ?? shared }

  /// Runs `body` with a monitor of its own behind the static functions, which begins with no counts and
  /// with the backend, the reporter and the settings of the one outside.
  ///
  /// Tests that run at once so do not count each other's instances. The monitor goes with the task: child
  /// tasks and tasks made by `Task {}` have it too; detached tasks and threads have not, and get it by
  /// `withIsolation(in: monitor)` from whoever started them: `monitor` is what `current` was there. What is undecided
  /// at the end is still decided and reported. The tasks of checks have `shared` as `current`, and so has a
  /// reporter that they call.
  public static func withIsolation<R>(
    in monitor: MemoryLeakMonitor? = nil, _ body: () throws -> R
  ) rethrows -> R {
    let inner = monitor ?? current.emptyCopy()
    defer { if monitor == nil { inner.checks.close() } }
    return try $isolated.withValue(inner, operation: body)
  }

  /// `withIsolation` of a body that suspends. With a monitor of its own it returns when the grace periods
  /// that run at the end of `body` are over, so that their reports come before its own end.
  public static func withIsolation<R>(
    in monitor: MemoryLeakMonitor? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
  ) async rethrows -> R {
    let inner = monitor ?? current.emptyCopy()
    do {
      let result = try await $isolated.withValue(inner, operation: body, isolation: isolation)
      if monitor == nil { await inner.end() }
      return result
    } catch {
      if monitor == nil { await inner.end() }
      throw error
    }
  }

  private func end() async {
    await settle()
    checks.close()
  }
}
