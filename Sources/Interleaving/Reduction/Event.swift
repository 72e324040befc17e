#if Interleaving
  // The dependencies between two events of an execution.
  //
  // Each decision executes one *event*: one step of a thread and the local code after it, or the
  // drain of one buffered store. Each event belongs to a *process*. A thread is a process. The
  // buffered stores of one thread to one word leave the buffer in order, so they form a process of
  // their own, whose events are drains. The state alone determines the next event of a process.
  //
  // Two events of different processes are independent if they commute in every state, and if
  // neither enables or disables the other. The objects that events share are
  //
  //  1. the value of a word in memory, which loads read, and drains and immediate stores write;
  //  2. the order of updates of a word. It differs from 1 only with store buffers, because there an
  //     update reads memory before its own write is drained;
  //  3. a lock, the waiting threads of a word, and the buffer of a thread that a barrier drains;
  //  4. a buffered store that its own thread loads: its drain makes a later load read memory;
  //  5. time stamps, and the numbers of new threads;
  //  6. everything, for events whose effect the scheduler does not model (`Accesses.anything`).
  //
  // Plain accesses to nodes, allocations and deallocations do not count as accesses here: either
  // atomic operations order them, or the happens-before check (`Clock`) fails in every order.

  /// A sequence of events that a decision selects: a thread, or the buffered stores of a thread to
  /// one word.
  struct Process: Hashable, BitwiseCopyable {
    // The low 8 bits are the thread. The others are the number of the location plus one, or 0 if
    // the process is a thread.
    private let code: UInt32

    init(thread: Int) {
      code = UInt32(truncatingIfNeeded: thread)
    }

    init(storesOf thread: Int, to location: Int) {
      code = UInt32(truncatingIfNeeded: location &+ 1) &<< 8 | UInt32(truncatingIfNeeded: thread)
    }

    /// The thread, or the thread that issued the stores.
    var thread: Int { Int(code & 0xff) }
    /// Whether the events are drains.
    var isBuffer: Bool { code > 0xff }
    /// The number of the location of the stores.
    var location: Int { Int(code >> 8) - 1 }
  }

  /// The ways in which an event uses the objects that events share.
  struct Accesses: OptionSet {
    let rawValue: UInt32

    static let readsMemory = Accesses(rawValue: 1 << 0)
    static let writesMemory = Accesses(rawValue: 1 << 1)
    static let readsUpdates = Accesses(rawValue: 1 << 2)
    static let writesUpdates = Accesses(rawValue: 1 << 3)

    static let locksShared = Accesses(rawValue: 1 << 4)
    static let locksExclusively = Accesses(rawValue: 1 << 5)
    static let unlocksShared = Accesses(rawValue: 1 << 6)
    static let unlocksExclusively = Accesses(rawValue: 1 << 7)

    /// Blocks until another thread wakes the waiters of the word.
    static let blocks = Accesses(rawValue: 1 << 8)
    static let wakes = Accesses(rawValue: 1 << 9)
    /// Waits for the end of the thread `peer`.
    static let joins = Accesses(rawValue: 1 << 10)

    /// A load of the thread's own buffered store `entry`.
    static let forwards = Accesses(rawValue: 1 << 11)
    /// The write enters the buffer.
    static let buffersStore = Accesses(rawValue: 1 << 12)
    static let buffersUpdate = Accesses(rawValue: 1 << 13)
    /// An update or a failed compare-exchange that leaves other entries in its thread's buffer.
    static let updates = Accesses(rawValue: 1 << 14)
    /// As `updates`, and the thread's buffer has entries before the step.
    static let updatesBehindStores = Accesses(rawValue: 1 << 15)
    /// Can occur only if the buffer of its own thread is empty.
    static let flushes = Accesses(rawValue: 1 << 16)
    /// Can occur only if no other thread's buffer has an update of the word.
    static let needsUpdates = Accesses(rawValue: 1 << 17)
    /// Can occur only if the buffer of the thread `peer` is empty: a barrier's effect on that
    /// thread.
    static let drainsPeer = Accesses(rawValue: 1 << 18)
    /// The drained entry is an update (`drainsUpdate`), or is releasing (`drainsRelease`).
    static let drainsUpdate = Accesses(rawValue: 1 << 19)
    static let drainsRelease = Accesses(rawValue: 1 << 20)

    static let stamps = Accesses(rawValue: 1 << 21)
    static let createsThreads = Accesses(rawValue: 1 << 22)
    /// Depends on every event. This holds for a spin and its end, which a step of any thread can
    /// cause; for a promotion, a release or a pause, whose effect the scheduler does not model; and
    /// for an attempt to take a lock, which can fail.
    static let anything = Accesses(rawValue: 1 << 23)
    /// Takes a lock only if it is free, so it never blocks.
    static let attempts = Accesses(rawValue: 1 << 24)
    /// Orders the later stores of its thread behind the entries that the buffer has now.
    static let fences = Accesses(rawValue: 1 << 25)

    static let all = Accesses(rawValue: .max)
    static let word: Accesses = [.readsMemory, .writesMemory, .readsUpdates, .writesUpdates]
    static let locks: Accesses = [.locksShared, .locksExclusively]
    static let exclusive: Accesses = [.locksExclusively, .unlocksExclusively]
    static let unlocks: Accesses = [.unlocksShared, .unlocksExclusively]
    static let buffers: Accesses = [.buffersStore, .buffersUpdate]

    @inline(__always)
    func has(_ any: Accesses) -> Bool { rawValue & any.rawValue != 0 }

    /// Whether `accesses` has all of these. Ignores `forwards`: a load of a buffered store has no
    /// conflicts that a load of memory does not have.
    func isExpected(_ accesses: Accesses) -> Bool {
      subtracting(.forwards).isSubset(of: accesses)
    }
  }

  /// One event of an execution.
  struct Event {
    var process: Process
    var accesses = Accesses()
    /// The address of the word or the lock.
    var address: UInt = 0
    /// The number of the step whose store this event buffers; -1 if it buffers none.
    var step: Int32 = -1
    /// The number of the step that stored the entry that this event drains or loads; -1 if none.
    var entry: Int32 = -1
    /// The other thread of a join or a barrier.
    var peer: Int32 = 0
    /// The number of the event that made the thread runnable, if this is the first event of the
    /// thread or follows a wait; -1 otherwise.
    var enabledBy: Int32 = -1
    /// The events with numbers below this one happened before, because the scenario started the
    /// thread after them.
    var after: Int32 = 0

    private var thread: Int { process.thread }

    /// Whether this event can occur only after the earlier event `first`, so that the two have the
    /// same order in all executions.
    func isCaused(by first: Event) -> Bool {
      if process.isBuffer {
        if first.thread != thread { return false }
        if first.accesses.has(.buffers) { return first.step == entry }
        return first.process.isBuffer && accesses.has(.drainsRelease) && first.entry < entry
      }
      if accesses.has(.joins), first.thread == peer { return true }
      guard first.process.isBuffer, first.thread == thread else { return false }
      return accesses.has(.flushes) || accesses.has(.updates) && first.address == address
    }

    /// Whether this event could not occur directly before the earlier event `first`, because
    /// `first` enables it: `first` ends the effect of an event for which `isBlocked(by:)` is true.
    func isUnblocked(by first: Event) -> Bool {
      if first.accesses.has(.unlocks) {
        return accesses.has(.locks) && !accesses.has(.attempts) && first.address == address
          && (first.accesses.has(.exclusive) || accesses.has(.exclusive))
      }
      guard first.process.isBuffer else { return false }
      if accesses.has(.drainsPeer), first.thread == peer { return true }
      return first.accesses.has(.drainsUpdate) && accesses.has(.needsUpdates)
        && first.address == address && first.thread != thread
    }

    /// Whether the earlier event `first` disables this one until a later event.
    func isBlocked(by first: Event) -> Bool {
      if first.accesses.has(.locks) {
        return accesses.has(.locks) && !accesses.has(.attempts) && first.address == address
          && (first.accesses.has(.exclusive) || accesses.has(.exclusive))
      }
      guard first.accesses.has(.buffers), !first.process.isBuffer else { return false }
      if accesses.has(.drainsPeer), first.thread == peer { return true }
      guard first.accesses.has(.buffersUpdate), first.thread != thread else { return false }
      return accesses.has(.needsUpdates) && first.address == address
        || accesses.has(.updatesBehindStores)
        || first.accesses.has(.updatesBehindStores) && accesses.has(.updates)
    }

    /// Whether the order of this event and the earlier event `first` matters, and both orders may
    /// be possible.
    func conflicts(with first: Event) -> Bool {
      let (mine, others) = (accesses, first.accesses)
      if (mine.rawValue | others.rawValue) & Accesses.anything.rawValue != 0 { return true }
      let shared = Accesses(rawValue: mine.rawValue & others.rawValue)
      if shared.has([.stamps, .createsThreads]) { return true }
      if address == first.address, address != 0, conflictsAtAddress(mine, others) { return true }
      return conflictsInBuffers(with: first)
    }

    private func conflictsAtAddress(_ mine: Accesses, _ others: Accesses) -> Bool {
      if mine.has(.writesMemory), others.has([.readsMemory, .writesMemory]) { return true }
      if others.has(.writesMemory), mine.has(.readsMemory) { return true }
      if mine.has(.writesUpdates), others.has([.readsUpdates, .writesUpdates]) { return true }
      if others.has(.writesUpdates), mine.has(.readsUpdates) { return true }
      return mine.has(.wakes) && others.has([.blocks, .wakes])
        || others.has(.wakes) && mine.has(.blocks)
    }

    private func conflictsInBuffers(with first: Event) -> Bool {
      if process.isBuffer != first.process.isBuffer, thread == first.thread {
        let (drain, other) = process.isBuffer ? (self, first) : (first, self)
        return other.accesses.has([.updatesBehindStores, .fences])
          || other.accesses.has(.forwards) && other.entry == drain.entry
      }
      if first.accesses.has(.drainsPeer) {
        return accesses.has(.buffers) && thread == first.peer
      }
      return accesses.has(.updatesBehindStores) && first.accesses.has(.drainsUpdate)
    }

    /// Whether the two events do not commute. `self` is the later one, or has not occurred yet.
    func depends(on first: Event) -> Bool {
      isCaused(by: first) || isUnblocked(by: first) || isBlocked(by: first)
        || conflicts(with: first)
    }
  }
#endif
