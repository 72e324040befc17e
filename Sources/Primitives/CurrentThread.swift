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

/// A collection's exclusion that this thread holds while user code runs inside it: the body of `update`.
///
/// The innermost one is in `ThreadSlot.exclusions`, the outer ones behind it, all on the stack of the
/// functions that hold them. Two uses: a collection entered again from inside its own `update` traps
/// instead of hanging, and no reclaimer runs while a thread holds an exclusion, so that the `deinit` of
/// an unrelated object never finds itself inside one.
public struct Exclusion {
  private let owner: ObjectIdentifier
  private let outer: UnsafeMutableRawPointer?

  /// Runs `body` with `owner` marked as held by this thread.
  public static func hold<R: ~Copyable, F: Error>(
    _ owner: AnyObject, _ body: () throws(F) -> R
  ) throws(F) -> R {
    let outer = ThreadSlot.exclusions.value
    var exclusion = Exclusion(owner: ObjectIdentifier(owner), outer: outer)
    return try withUnsafeMutablePointer(to: &exclusion) { innermost throws(F) -> R in
      ThreadSlot.exclusions.value = UnsafeMutableRawPointer(innermost)
      defer { ThreadSlot.exclusions.value = outer }
      return try body()
    }
  }

  /// Whether this thread is inside any exclusion.
  public static var isHeld: Bool { ThreadSlot.exclusions.value != nil }

  /// Traps when this thread is inside the exclusion of `owner`.
  ///
  /// One comparison when it is inside none.
  public static func checkNotHeld(_ owner: AnyObject) {
    if let innermost = ThreadSlot.exclusions.value {
      checkNotHeld(owner, innermost: innermost)
    }
  }

  private static func checkNotHeld(_ owner: AnyObject, innermost: UnsafeMutableRawPointer) {
    var next: UnsafeMutableRawPointer? = innermost
    while let pointer = next {
      let exclusion = pointer.assumingMemoryBound(to: Exclusion.self).pointee
      precondition(
        exclusion.owner != ObjectIdentifier(owner),
        "update's body must not use the collection that it updates")
      next = exclusion.outer
    }
  }
}
