import CShims

/// A pointer-sized variable of which every thread has its own, nil at first.
public struct ThreadSlot: Sendable {
  private let index: Int

  /// This thread's participant records, newest first; owned by `EpochReclamation`.
  public static let participants = ThreadSlot(index: 0)

  /// The innermost `Exclusion` this thread is inside.
  public static let exclusions = ThreadSlot(index: 1)

  public var value: UnsafeMutableRawPointer? {
    get { cws_slot_get(index) }
    nonmutating set { cws_slot_set(index, newValue) }
  }
}

/// The calling thread, as seen from outside the process.
public enum CurrentThread {
  /// The number that debuggers and procfs show for it.
  public static var number: UInt64 {
    ManagedScheduler.ask { $0.pointee.thread_number() } ?? cws_thread_number()
  }

  /// How often an atomic exchange of this thread failed, because another thread was faster.
  ///
  /// Counted by the lock-free backends, on their failure paths alone.
  public static var failedExchanges: Int { cws_failed_exchanges_get() }

  public static func noteFailedExchange() {
    cws_failed_exchange_note()
  }

  /// Has `handler` called with `value` when the calling thread ends; a later call replaces the value.
  ///
  /// There is one handler in the process: `EpochReclamation`'s.
  public static func atExit(
    _ value: UnsafeMutableRawPointer, _ handler: @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) {
    ManagedScheduler.ask { $0.pointee.at_exit(handler, value) }
      ?? cws_at_thread_exit(handler, value)
  }
}

/// What watches this process.
public enum Sanitizer {
  public static var isThreadSanitizer: Bool { cws_under_tsan() }
  public static var isAddressSanitizer: Bool { cws_under_asan() }

  /// Whether LeakSanitizer can look for memory that no pointer leads to.
  public static var detectsLeaks: Bool {
    @inline(__always) get { cws_detects_leaks() }
  }

  /// Short names of those that are present.
  public static var names: [String] {
    (isThreadSanitizer ? ["tsan"] : []) + (isAddressSanitizer ? ["asan"] : [])
  }
}
