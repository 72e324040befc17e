import Primitives

extension MemoryLeakMonitor {
  private static let enabled = Atomic<Bool>(isEnabledByDefault)

  /// Whether monitors watch at all; while they do not, they store nothing and report nothing new.
  ///
  /// On in debug builds and in tests that link `LeakTesting`, else off. What was validated while it was off
  /// is not counted later.
  public static var isEnabled: Bool {
    // Relaxed, both: a switch alone. A thread that sees it late validates some objects more or fewer.
    get { enabled.load(ordering: .relaxed) }
    set { enabled.store(newValue, ordering: .relaxed) }
  }

  private static var isEnabledByDefault: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
}
