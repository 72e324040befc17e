/// A place between two steps of an operation where a test may stop the thread for as long as it likes.
///
/// Exists only under the trait `InternalChecks`; otherwise `reach` is an empty function.
public enum HaltPoint: Sendable {
  /// An append or a set has published its node and has not yet finished.
  case betweenAtomics
  /// A lock of one of our backends is held.
  case underLock

  #if InternalChecks
    private static let hook = Mutex<(@Sendable (HaltPoint) -> Void)?>(nil)

    /// Has `action` called at every halt point of every thread; nil ends it.
    public static func setHook(_ action: (@Sendable (HaltPoint) -> Void)?) {
      hook.withLock { $0 = action }
    }

    public func reach() {
      Self.hook.withLock { $0 }?(self)
    }
  #else
    public func reach() {}
  #endif
}
