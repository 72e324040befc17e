// The memory model beyond sequential consistency.
//
// Memory is one array of words, as on every machine. Each virtual thread has a buffer of stores
// that only it can see; an entry leaves it for memory, is *drained*, when the strategy decides so.
//
//  1. A relaxed or a releasing store enters the buffer. A thread's own loads see its newest entry.
//  2. Entries to one word leave in order. A relaxed entry may leave before others; a releasing one
//     only as the oldest. So what was stored before a release is visible to whoever sees the
//     release.
//  3. A sequentially consistent store or read-modify-write drains its thread's buffer and acts on
//     memory. So do the end of a lock's exclusion, a wait, a wake and the start of a thread; whoever
//     waits for a thread's end drains that thread's. Loads never drain.
//  4. Another read-modify-write reads memory at once, since it must read the newest value, but its
//     write enters the buffer: other threads' *loads* may miss it. Before anybody else writes that
//     word, or updates it, the write is made visible: no two updates read the same value.
//  5. Nothing precedes a releasing update in its thread's buffer whose word another thread has an
//     update of in its own buffer: making one visible never waits for the other. Updates establish
//     that.
//  6. A barrier on every thread drains one buffer after the other, while other threads may go on. What a
//     thread did before its turn happened before what the caller does next; what the caller did happened
//     before what the thread does after its turn. So the system promises of its barrier (membarrier).
//
// It is weaker than TSO (stores pass each other, updates may be seen late) and stronger than C++: a
// load never returns a value older than memory and the buffers allow, so no load is early and no
// two threads disagree on the order of drains. Load buffering, and independent reads of independent
// writes seen in different orders, do not show. A failed sequentially consistent exchange drains,
// which C++ does not promise. What a missing acquire or release allows beyond that is found by the
// happens-before check (`Clock`).

/// A store that waits in its thread's buffer.
struct StoreBuffer {
  /// As many entries a thread has at most; one more store drains the oldest.
  static let capacity = 32
}

#if Interleaving
  extension StoreBuffer {
    struct Entry {
      var address: UnsafeMutablePointer<UInt64>
      var value: UInt64
      /// What whoever acquires this store learns.
      var clock: Clock
      var location: Int32
      /// The step that stored it.
      var step: Int32
      var isReleasing: Bool
      /// It is the second half of a read-modify-write.
      var isUpdate: Bool
    }
  }
#endif
