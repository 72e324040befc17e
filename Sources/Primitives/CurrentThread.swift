import CShims

/// The calling thread, as seen from outside the process.
public enum CurrentThread {
  /// The number that debuggers and procfs show for the thread.
  public static var number: UInt64 {
    ManagedScheduler.ask { $0.pointee.thread_number() } ?? cws_thread_number()
  }

  /// The number of compare-exchanges of this thread that failed because another thread was faster.
  ///
  /// Only the lock-free backends count, and only on their failure paths.
  public static var failedExchanges: Int { cws_failed_exchanges_get() }

  public static func noteFailedExchange() {
    cws_failed_exchange_note()
  }

  /// Registers `handler`, which is called with `value` when the calling thread ends; a later call replaces
  /// the value.
  ///
  /// The process has one handler, which is `EpochReclamation`'s.
  public static func atExit(
    _ value: UnsafeMutableRawPointer, _ handler: @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) {
    ManagedScheduler.ask { $0.pointee.at_exit(handler, value) }
      ?? cws_at_thread_exit(handler, value)
  }
}

/// A pointer-sized variable of which every thread has its own, initially nil.
public struct ThreadSlot: Sendable {
  private let index: Int

  /// This thread's participant records, newest first; owned by `EpochReclamation`.
  public static let participants = ThreadSlot(index: 0)

  /// The innermost `Exclusion` that this thread holds.
  public static let exclusions = ThreadSlot(index: 1)

  public var value: UnsafeMutableRawPointer? {
    get { cws_slot_get(index) }
    nonmutating set { cws_slot_set(index, newValue) }
  }
}

/// A record that this thread runs user code inside a collection's critical section: the body of `update`.
///
/// `ThreadSlot.exclusions` points to the innermost record, and each record to the one around it; all are
/// on the stack of the functions that made them. The records serve two purposes. A collection that is
/// entered again from inside its own `update` traps instead of deadlocking. And no reclaimer runs while a
/// thread has such a record, so that the `deinit` of an unrelated object never runs inside `update`.
public struct Exclusion {
  private let owner: ObjectIdentifier
  private let outer: UnsafeMutableRawPointer?

  /// Runs `body` while this thread has a record for `owner`.
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

  /// Whether this thread has any record.
  public static var isHeld: Bool { ThreadSlot.exclusions.value != nil }

  /// Traps if this thread has a record for `owner`.
  ///
  /// Costs one comparison if the thread has no record at all.
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
