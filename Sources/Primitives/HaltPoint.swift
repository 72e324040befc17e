/// A place between two steps of an operation where a test may stop the thread for as long as it likes.
///
/// Exists only under the trait `InternalChecks`; otherwise `reach` is an empty function.
public enum HaltPoint: Sendable {
  /// An append or a set has published its node and has not yet finished.
  case betweenAtomics
  /// A lock of one of our backends is held.
  case underLock

  #if InternalChecks
    // No lock: a halted thread must stop nobody. Hooks are kept for ever, each by the next, since a
    // thread may be about to call one.
    private static let newest = Atomic<UInt>(0)

    private final class Hook: Sendable {
      let action: (@Sendable (HaltPoint) -> Void)?
      let previous: UInt

      init(_ action: (@Sendable (HaltPoint) -> Void)?, after previous: UInt) {
        self.action = action
        self.previous = previous
      }
    }

    /// Has `action` called at every halt point of every thread; nil ends it. One thread at a time.
    public static func setHook(_ action: (@Sendable (HaltPoint) -> Void)?) {
      // Relaxed: the caller, who is alone, stored it.
      let hook = Hook(action, after: newest.load(ordering: .relaxed))
      // Releasing: pairs with the acquiring load in `reach`, which reads the hook.
      newest.store(
        UInt(bitPattern: Unmanaged.passRetained(hook).toOpaque()), ordering: .releasing)
    }

    public func reach() {
      // Acquiring: partner named in `setHook`.
      let newest = UnsafeRawPointer(bitPattern: Self.newest.load(ordering: .acquiring))
      guard let hook = newest else { return }
      Unmanaged<Hook>.fromOpaque(hook).takeUnretainedValue().action?(self)
    }
  #else
    public func reach() {}
  #endif
}
