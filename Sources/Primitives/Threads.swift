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

/// Operations to sleep on a word, whose address never changes, and to wake the sleepers.
public enum Futex {
  public typealias Word = UnsafeMutablePointer<Atomic<UInt32>>

  /// Sleeps while the word is `expected`; may return early for no reason.
  ///
  /// Looks at the word and goes to sleep in one step, after everything that the caller did before.
  public static func wait(
    on word: Word, while expected: UInt32, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.wait(managed(word), UInt64(expected), cws_site(file, function, line))
    } ?? cws_futex_wait(address(of: word), expected)
  }

  public static func wakeOne(
    on word: Word, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.wake_one(managed(word), cws_site(file, function, line))
    } ?? cws_futex_wake_one(address(of: word))
  }

  public static func wakeAll(
    on word: Word, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.wake_all(managed(word), cws_site(file, function, line))
    } ?? cws_futex_wake_all(address(of: word))
  }

  private static func address(of word: Word) -> UnsafePointer<UInt32> {
    UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self)
  }

  /// The word as a managed scheduler has it, whose atomics are all of 64 bits.
  private static func managed(_ word: Word) -> UnsafePointer<UInt64> {
    UnsafeRawPointer(word).assumingMemoryBound(to: UInt64.self)
  }
}

/// Tells the processor that the caller is spinning.
@inline(__always)
public func spinHint(
  file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
) {
  ManagedScheduler.ask { $0.pointee.spin(cws_site(file, function, line)) } ?? cws_spin_hint()
}

/// A counter of events on which threads wait for the next one.
///
/// A waiter reads `ticket` before it looks for the event, and passes it to `wait(for:)` if the event has not
/// happened. An event between the two increments the counter, and the wait returns immediately: no wake-up
/// is lost.
public struct EventCounter: ~Copyable {
  // In memory of its own: the futex needs an address that never moves.
  private let word: Futex.Word
  private let waiters = Atomic<Int>(0)

  public init() {
    word = NodeMemory.allocate(Atomic<UInt32>.self)
    word.initialize(to: Atomic(0))
  }

  deinit {
    word.deinitialize(count: 1)
    NodeMemory.deallocate(word)
  }

  /// To be read before looking for the event.
  public borrowing func ticket() -> UInt32 {
    // Sequentially consistent, so that no later look at the event moves before it; pairs with the
    // increment in `signal`: a look that misses the event read a ticket from before the increment.
    word.pointee.load(ordering: .sequentiallyConsistent)
  }

  /// Returns once an event came after `ticket` was read, or earlier for no reason.
  public borrowing func wait(for ticket: UInt32) {
    // Sequentially consistent; pairs with the load of `waiters` in `signal`:
    // - if this comes first, the signal sees a waiter and wakes it;
    // - if that load comes first, the increment came earlier still and the futex finds the word changed.
    waiters.wrappingAdd(1, ordering: .sequentiallyConsistent)
    Futex.wait(on: word, while: ticket)
    // Relaxed: a waiter counted too long costs one superfluous wake-up.
    waiters.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Announces the event: everything written before it is visible to those it wakes.
  public borrowing func signal() {
    // Sequentially consistent, both; partners named at `ticket` and `wait(for:)`.
    word.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    guard waiters.load(ordering: .sequentiallyConsistent) > 0 else { return }
    Futex.wakeAll(on: word)
  }
}

// @unchecked: the word is atomic, and its memory belongs to this counter alone.
extension EventCounter: @unchecked Sendable {}
