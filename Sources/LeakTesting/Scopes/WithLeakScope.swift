public import LeakMonitoring

/// Runs `body` in a scope of its own, and fails the test for each object that was tracked in it and lives on,
/// at the line that tracks it.
///
/// Waits until the last one is gone, at most `duration`, and longer only if the machine is so busy that it
/// was hardly asked. Meanwhile it pumps the thread's run loop; what needs this very actor and not that loop, as
/// on Linux the main actor in a test of Swift Testing, cannot run: use the form that suspends. What `body`
/// returns or throws lives during the check, and is not to hold what was tracked.
///
/// With a `scope`, which is what `LeakScope.current` was where this task or thread was started, it tracks there;
/// whoever opened that checks.
///
/// A failure says who holds what lives on if `paths` are shown: nil for what the scope around says, else
/// `MemoryLeakMonitor.retainPaths`. The form that suspends does not look for that on the main actor.
// Disfavoured: code that suspends shall get the other form for a body that does not suspend, too.
@_disfavoredOverload
public func withLeakScope<R>(
  in scope: LeakScope? = nil, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  _ body: () throws -> R
) rethrows -> R {
  let inner = scope ?? LeakScope(showing: paths)
  defer { if scope == nil { inner.endPumping(within: duration) } }
  return try inner.run { try pooled(body) }
}

/// `withLeakScope` in code that suspends; suspends while it waits.
public func withLeakScope<R>(
  in scope: LeakScope? = nil, within duration: Duration = .seconds(1), paths: RetainPaths? = nil,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
) async rethrows -> R {
  let inner = scope ?? LeakScope(showing: paths)
  do {
    let result = try await inner.run(isolation: isolation, body)
    if scope == nil { await inner.end(within: duration) }
    return result
  } catch {
    if scope == nil { await inner.end(within: duration) }
    throw error
  }
}

/// Runs `body` so that objects which it left to an autorelease pool are let go.
func pooled<R>(_ body: () throws -> R) rethrows -> R {
  #if canImport(ObjectiveC)
    try autoreleasepool(invoking: body)
  #else
    try body()
  #endif
}
