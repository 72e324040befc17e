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
  import CInterleaving
  import CShims

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

  // The rules are in `StoreBuffer`.
  extension Engine {
    @inline(__always)
    func entries(of thread: Int) -> UnsafeMutablePointer<StoreBuffer.Entry> {
      state.pointee.buffers + thread &* StoreBuffer.capacity
    }

    /// What the current thread has stored at the location and others may not see yet.
    @inline(__always)
    func ownStore(at location: Int) -> UnsafeMutablePointer<StoreBuffer.Entry>? {
      let thread = state.pointee.current
      var index = Int(threads[thread].bufferCount) &- 1
      let entries = entries(of: thread)
      while index >= 0 {
        if entries[index].location == location { return entries + index }
        index &-= 1
      }
      return nil
    }

    @inline(__always)
    func storeThroughBuffer(
      _ address: Word, _ value: UInt64, _ ordering: UInt32, _ location: Int, _ clock: Clock,
      _ step: Int
    ) {
      if ordering == UInt32(CWS_SEQUENTIALLY_CONSISTENT) {
        commit(address, value, location, clock)
      } else {
        buffer(address, value, ordering, location, clock, step, isUpdate: false)
      }
    }

    @inline(__always)
    func buffer(
      _ address: Word, _ value: UInt64, _ ordering: UInt32, _ location: Int, _ clock: Clock,
      _ step: Int, isUpdate: Bool
    ) {
      // While the scenario is alone nobody could tell the difference.
      if state.pointee.isAlone { return commit(address, value, location, clock) }
      let thread = state.pointee.current
      if threads[thread].bufferCount == StoreBuffer.capacity { drain(thread, 0) }
      let count = Int(threads[thread].bufferCount)
      entries(of: thread)[count] = StoreBuffer.Entry(
        address: address, value: value, clock: clock, location: Int32(truncatingIfNeeded: location),
        step: Int32(truncatingIfNeeded: step), isReleasing: ordering.releases, isUpdate: isUpdate)
      threads[thread].bufferCount &+= 1
      state.pointee.bufferedCount &+= 1
      if isUpdate {
        threads[thread].updateCount &+= 1
        state.pointee.updateCount &+= 1
        locations[location].updater = Int32(truncatingIfNeeded: thread)
      }
    }

    /// Drains what a sequentially consistent store must not pass (rules 3 and 4).
    @inline(__always)
    func prepareStore(_ location: Int, _ ordering: UInt32) {
      guard ordering == UInt32(CWS_SEQUENTIALLY_CONSISTENT) else { return }
      drainAll(of: state.pointee.current)
      publishUpdate(at: location)
    }

    /// Makes memory what an update by the current thread must read (rules 3, 4 and 5).
    func prepareUpdate(_ location: Int, _ ordering: UInt32) {
      let thread = state.pointee.current
      if ordering == UInt32(CWS_SEQUENTIALLY_CONSISTENT) {
        drainAll(of: thread)
      } else {
        drain(of: thread, upTo: location)
      }
      guard state.pointee.updateCount > 0 else { return }
      publishUpdate(at: location)
      guard ordering != UInt32(CWS_SEQUENTIALLY_CONSISTENT) else { return }
      if ordering.releases { publishUpdatesAtOwnStores() }
      publishUpdates(behindStoresTo: location)
    }

    /// Rule 5, for the entries before the update that the current thread is about to make.
    private func publishUpdatesAtOwnStores() {
      let thread = state.pointee.current
      for index in 0..<Int(threads[thread].bufferCount) {
        publishUpdate(at: Int(entries(of: thread)[index].location))
      }
    }

    /// Rule 5, for the entries before updates that others have made.
    private func publishUpdates(behindStoresTo location: Int) {
      for thread in 1..<max(1, state.pointee.threadCount)
      where threads[thread].updateCount > 0 && thread != state.pointee.current {
        let entries = entries(of: thread)
        let count = Int(threads[thread].bufferCount)
        guard let store = (0..<count).first(where: { entries[$0].location == location }),
          let update = (store..<count).last(where: { entries[$0].isUpdate })
        else { continue }
        for _ in 0...update { drain(thread, 0) }
      }
    }

    /// Makes the update of the word visible that waits in another thread's buffer, if one does
    /// (rule 4).
    @inline(__always)
    func publishUpdate(at location: Int) {
      let thread = Int(locations[location].updater)
      if thread >= 0, thread != state.pointee.current { publishUpdate(at: location, by: thread) }
    }

    private func publishUpdate(at location: Int, by thread: Int) {
      let entries = entries(of: thread)
      var index = 0
      while entries[index].location != location || !entries[index].isUpdate { index += 1 }
      if !entries[index].isReleasing { return drain(thread, index) }
      for _ in 0...index { drain(thread, 0) }
    }

    @inline(__always)
    func drainAll(of thread: Int) {
      while threads[thread].bufferCount > 0 { drain(thread, 0) }
    }

    /// Drains everything up to the newest entry for the location.
    private func drain(of thread: Int, upTo location: Int) {
      let entries = entries(of: thread)
      let count = Int(threads[thread].bufferCount)
      guard let last = (0..<count).last(where: { entries[$0].location == location }) else { return }
      for _ in 0...last { drain(thread, 0) }
    }

    /// Drains what waits for the memory of an object that is about to be given back.
    func drainAll(within object: UnsafeRawPointer) {
      guard state.pointee.bufferedCount > 0 else { return }
      let begin = UInt(bitPattern: object)
      let memory = begin..<begin + UInt(cil_allocated_size(object))
      for thread in 1..<state.pointee.threadCount {
        let entries = entries(of: thread)
        while (0..<Int(threads[thread].bufferCount)).contains(where: {
          memory.contains(UInt(bitPattern: entries[$0].address))
        }) {
          drain(thread, 0)
        }
      }
    }

    /// Whether the entry may leave now (rule 2).
    @inline(__always)
    func isDrainable(_ thread: Int, _ index: Int) -> Bool {
      let entries = entries(of: thread)
      if index == 0 { return true }
      if entries[index].isReleasing { return false }
      return !(0..<index).contains { entries[$0].location == entries[index].location }
    }

    /// Moves an entry to memory.
    func drain(_ thread: Int, _ index: Int) {
      let entries = entries(of: thread)
      let entry = entries[index]
      let count = Int(threads[thread].bufferCount) &- 1
      if index < count {
        (entries + index).update(from: entries + index + 1, count: count &- index)
      }
      threads[thread].bufferCount = Int32(truncatingIfNeeded: count)
      state.pointee.bufferedCount &-= 1
      let location = Int(entry.location)
      if entry.isUpdate {
        threads[thread].updateCount &-= 1
        state.pointee.updateCount &-= 1
        locations[location].updater = -1
      } else if locations[location].updater >= 0, locations[location].updater != thread {
        publishUpdate(at: location, by: Int(locations[location].updater))
      }
      commit(entry.address, entry.value, location, entry.clock)
      let step = record(
        .drain, by: thread, site(ofStep: Int(entry.step)), address: UInt(bitPattern: entry.address),
        value: entry.value)
      let trace = state.pointee.recordings.trace
      trace[step].node = trace[Int(entry.step)].node
      if state.pointee.spinnerCount > 0 { wakeSpinners() }
    }
  }
#endif
