import CShims

/// The calling thread.
public enum CurrentThread {
  /// The number of the thread, as debuggers and procfs show it.
  public static var number: UInt64 {
    ManagedScheduler.ask { $0.pointee.thread_number() } ?? cws_thread_number()
  }

  /// The number of compare-exchanges of this thread that failed because another thread was faster.
  ///
  /// `lockFree`, `bucketLock` and the adaptive lock count, and only on their failure paths.
  public static var failedCompareExchanges: Int { cws_failed_compare_exchanges_get() }

  /// Adds 1 to `failedCompareExchanges`.
  public static func noteFailedCompareExchange() {
    cws_failed_compare_exchange_note()
  }

  /// Registers a handler that runs when the calling thread ends. A later call replaces `value`.
  ///
  /// A process has one handler, and `EpochReclamation` registers it.
  ///
  /// - Parameters:
  ///   - value: The argument of the handler.
  ///   - handler: The function to call. Every call must pass the same one.
  public static func atExit(
    _ value: UnsafeMutableRawPointer, _ handler: @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) {
    ManagedScheduler.ask { $0.pointee.at_exit(handler, value) }
      ?? cws_at_thread_exit(handler, value)
  }
}

/// A thread of the library.
public enum BackgroundThread {
  /// Starts a thread that calls `body(value)`; returns whether it did.
  ///
  /// The thread receives no signals but those of its own crashes. Fails if the system has no room
  /// for a thread, and under a managed scheduler, where a test runs the body as a virtual thread.
  public static func start(
    _ value: UnsafeMutableRawPointer, _ body: @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) -> Bool {
    ManagedScheduler.ask { _ in false } ?? cws_start_thread(body, value)
  }

  /// Suspends the calling thread for about this time.
  public static func sleep(
    microseconds: Int, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) {
    ManagedScheduler.ask { $0.pointee.spin(cws_site(file, function, line)) }
      ?? cws_sleep_microseconds(microseconds)
  }
}

/// A pointer-sized thread-local variable, initially nil.
public struct ThreadSlot: Sendable {
  private let index: Int

  /// The participant records of this thread, newest first; `EpochReclamation` owns them.
  public static let participants = ThreadSlot(index: 0)

  /// The innermost `CriticalSection` of this thread.
  public static let criticalSections = ThreadSlot(index: 1)

  /// The outermost `Teardown` of this thread; `WeakCollections` owns it.
  public static let teardowns = ThreadSlot(index: 2)

  /// The value of this thread.
  public var value: UnsafeMutableRawPointer? {
    get { cws_slot_get(index) }
    nonmutating set { cws_slot_set(index, newValue) }
  }
}

/// A record that this thread runs user code inside a collection's critical section: the body of
/// `update` or `withValue`, or the `==` or `hash(into:)` of a key.
///
/// `ThreadSlot.criticalSections` points to the innermost record, and each record points to the one
/// around it. All records are on the stack of the functions that made them. They serve two
/// purposes. A collection that is entered again from inside such a body traps instead of
/// deadlocking. And no thread reclaims or releases what a lock-free collection has removed
/// while it has a record.
public struct CriticalSection {
  private let owner: ObjectIdentifier
  private let outer: UnsafeMutableRawPointer?

  /// Runs `body` while this thread has a record for `owner`; returns or rethrows its outcome.
  @inline(__always)
  public static func hold<R: ~Copyable, F: Error>(
    _ owner: AnyObject, _ body: () throws(F) -> R
  ) throws(F) -> R {
    let outer = ThreadSlot.criticalSections.value
    var section = CriticalSection(owner: ObjectIdentifier(owner), outer: outer)
    return try withUnsafeMutablePointer(to: &section) { innermost throws(F) -> R in
      ThreadSlot.criticalSections.value = UnsafeMutableRawPointer(innermost)
      defer { ThreadSlot.criticalSections.value = outer }
      return try body()
    }
  }

  /// Whether this thread has any record.
  public static var isHeld: Bool { ThreadSlot.criticalSections.value != nil }

  /// Traps if this thread has a record for `owner`.
  ///
  /// - Complexity: one comparison if this thread has no record; otherwise O(*n*) in the number of
  ///   its records.
  @inline(__always)
  public static func checkNotHeld(_ owner: AnyObject) {
    if let innermost = ThreadSlot.criticalSections.value {
      checkNotHeld(owner, innermost: innermost)
    }
  }

  @inline(never)
  private static func checkNotHeld(_ owner: AnyObject, innermost: UnsafeMutableRawPointer) {
    var next: UnsafeMutableRawPointer? = innermost
    while let pointer = next {
      let section = pointer.assumingMemoryBound(to: CriticalSection.self).pointee
      guard section.owner != ObjectIdentifier(owner) else {
        fatalError(
          """
          the closure of update or withValue used its own collection; use the closure's parameter, \
          or call the collection after the closure has returned (the same holds for the == and \
          hash(into:) of a key)
          """)
      }
      next = section.outer
    }
  }
}

/// Operations that suspend a thread on a word with a stable address, and wake such threads.
public enum Futex {
  /// A pointer to the word that threads wait on.
  public typealias Word = UnsafeMutablePointer<Atomic<UInt32>>

  /// Suspends the calling thread while the word equals `expected`. May return early without a
  /// reason.
  ///
  /// The kernel compares the word and suspends the thread in one step, after everything that the
  /// caller did before.
  public static func wait(
    on word: Word, while expected: UInt32, file: StaticString = #fileID,
    function: StaticString = #function, line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.wait(managed(word), UInt64(expected), cws_site(file, function, line))
    } ?? cws_futex_wait(address(of: word), expected)
  }

  /// Wakes one of the threads that wait on `word`, if there is one.
  public static func wakeOne(
    on word: Word, file: StaticString = #fileID, function: StaticString = #function,
    line: UInt32 = #line
  ) {
    ManagedScheduler.ask {
      $0.pointee.wake_one(managed(word), cws_site(file, function, line))
    } ?? cws_futex_wake_one(address(of: word))
  }

  /// Wakes all threads that wait on `word`.
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

  /// Returns the word as a managed scheduler sees it; all its atomics have 64 bits.
  private static func managed(_ word: Word) -> UnsafePointer<UInt64> {
    UnsafeRawPointer(word).assumingMemoryBound(to: UInt64.self)
  }
}

/// Informs the processor that the calling thread is spinning.
@inline(__always)
public func spinHint(
  file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
) {
  ManagedScheduler.ask { $0.pointee.spin(cws_site(file, function, line)) } ?? cws_spin_hint()
}

/// An event count: threads wait for events without losing a wake-up (after Reed and Kanodia,
/// "Synchronization with eventcounts and sequencers", 1979).
///
/// An event is a sequentially consistent change of some other word. The thread that makes the
/// change then calls `signal`. While no thread waits, `signal` only loads a word that no thread
/// changes.
public struct EventCount: ~Copyable {
  // Separate allocations: the futex needs a stable address, and the owner's other fields a cache
  // line that no waiting thread writes.
  private let word: Futex.Word
  private let waiters: UnsafeMutablePointer<Atomic<Int>>

  /// Creates a counter without waiters.
  public init() {
    word = NodeMemory.allocate(Atomic<UInt32>.self)
    word.initialize(to: Atomic(0))
    waiters = NodeMemory.allocate(Atomic<Int>.self)
    waiters.initialize(to: Atomic(0))
  }

  deinit {
    word.deinitialize(count: 1)
    NodeMemory.deallocate(word)
    waiters.deinitialize(count: 1)
    NodeMemory.deallocate(waiters)
  }

  /// Waits for an event if `isAwaited` still returns true. May return early without a reason.
  ///
  /// - Parameter isAwaited: Looks for the event by a sequentially consistent load.
  public borrowing func wait(while isAwaited: () -> Bool) {
    // Sequentially consistent; pairs with the event and the load in `signal`:
    // - if this increment precedes that load, `signal` increments `word`: see the next comment;
    // - if that load precedes this increment, the event does too, and `isAwaited` finds it.
    waiters.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    // Sequentially consistent: precedes the load in `isAwaited`. Pairs with the increment in
    // `wakeWaiters`. If `isAwaited` misses the event, that increment follows the load of the
    // ticket: then the futex finds the word changed, or this thread already sleeps and is woken.
    let ticket = word.pointee.load(ordering: .sequentiallyConsistent)
    if isAwaited() { Futex.wait(on: word, while: ticket) }
    // Relaxed: a waiter that is counted too long costs one superfluous wake-up.
    waiters.pointee.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Wakes the threads that wait for the event that has just happened.
  @inline(__always)
  public borrowing func signal() {
    // Sequentially consistent: `wait(while:)` names the partner.
    if waiters.pointee.load(ordering: .sequentiallyConsistent) > 0 { wakeWaiters() }
  }

  @inline(never)
  private borrowing func wakeWaiters() {
    // Sequentially consistent: `wait(while:)` names the partner.
    word.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    Futex.wakeAll(on: word)
  }
}

// @unchecked: accesses to the words are atomic, and only this counter uses their memory.
extension EventCount: @unchecked Sendable {}
