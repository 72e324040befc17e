// The memory model: weaker than sequential consistency, by store buffers.
//
// Memory is one array of words. Each virtual thread has a buffer of stores that only this thread
// sees. An entry that moves to memory is *drained*. The strategy decides when to drain an entry,
// unless one of these rules does:
//
//  1. A relaxed or a releasing store enters the buffer. A thread's own loads see its newest entry.
//  2. Entries for one word leave the buffer in order. A relaxed entry may leave before older
//     entries for other words. A releasing entry leaves only when it is the oldest. So a thread
//     that sees a release also sees all stores before it.
//  3. A sequentially consistent store or read-modify-write drains its thread's buffer, and then
//     acts on memory. An unlock, a wait, a wake and the start of a thread also drain the buffer of
//     the calling thread. A join drains the buffer of the thread that has ended. Loads never drain.
//  4. Any other read-modify-write, an *update*, reads memory immediately, because it must read the
//     newest value. But its write enters the buffer, so that *loads* of other threads may miss it.
//     Before another thread writes or updates that word in memory, the scheduler drains the entry.
//     So no two updates read the same value.
//  5. If a buffer holds a releasing update, no other thread's buffer holds an update of a word for
//     which the first buffer has an older entry. So the drain of an update never requires the drain
//     of another thread's update. Each update drains entries to establish this.
//  6. A barrier on every thread drains one buffer after the other, while other threads may run. The
//     steps of a thread before the drain of its buffer happen before the steps of the caller after
//     the barrier. The steps of the caller before the barrier happen before the steps of the thread
//     after that drain. The operating system makes the same promises for its barrier (membarrier).
//
// The model is weaker than TSO: stores can pass each other, and updates can become visible late. It
// is stronger than C++: a load returns the newest entry of its thread's buffer, or else the value
// in memory. So no load executes early or late, and all threads agree on the order of drains. The
// model shows neither load buffering nor independent reads of independent writes (IRIW) in
// different orders; with `StoredValue` and `PendingPromise` on top of it, it shows both. A failed
// sequentially consistent compare-exchange drains the buffer, which C++ does not promise. The
// happens-before check (`Clock`) finds the other effects of a missing acquire or release.

#if Interleaving
  import CInterleaving
  import CShims

  /// The buffer of a thread's stores that other threads do not see yet.
  enum StoreBuffer {
    /// The maximum number of entries of a thread. A store into a full buffer drains the oldest
    /// entry.
    static var capacity: Int { Schedule.mostEntries }

    struct Entry {
      var address: UnsafeMutablePointer<UInt64>
      var value: UInt64
      /// The clock that a thread joins when it acquires this store.
      var clock: Clock
      var location: Int32
      /// The number of the step that stored the entry.
      var step: Int32
      var isReleasing: Bool
      /// Whether the entry is the write of a read-modify-write.
      var isUpdate: Bool
      // Only reordered loads need these: the thread's time at the store, the number of the access,
      // and the thread's taint (`PendingPromise`).
      var time: UInt32
      var access: UInt32
      var taint: UInt32
    }
  }

  // The rules are at the top of this file.
  extension Engine {
    @inline(__always)
    func entries(of thread: Int) -> UnsafeMutablePointer<StoreBuffer.Entry> {
      state.pointee.buffers + thread &* StoreBuffer.capacity
    }

    /// Returns the newest entry of the current thread for the location; `nil` if there is none.
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
      if ordering.isTotal {
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
      // While the scenario runs alone, no thread could observe the buffer.
      if state.pointee.isAlone { return commit(address, value, location, clock) }
      let thread = state.pointee.current
      if threads[thread].bufferCount == StoreBuffer.capacity { drain(thread, 0) }
      let count = Int(threads[thread].bufferCount)
      entries(of: thread)[count] = StoreBuffer.Entry(
        address: address, value: value, clock: clock, location: Int32(truncatingIfNeeded: location),
        step: Int32(truncatingIfNeeded: step), isReleasing: ordering.releases, isUpdate: isUpdate,
        time: state.pointee.hasReorderedLoads ? threads[thread].time(of: thread) : 0,
        access: threads[thread].accessCount, taint: threads[thread].taint)
      threads[thread].bufferCount &+= 1
      state.pointee.bufferedCount &+= 1
      if isUpdate {
        threads[thread].updateCount &+= 1
        state.pointee.updateCount &+= 1
        locations[location].updater = Int32(truncatingIfNeeded: thread)
      }
    }

    /// Drains the entries that a sequentially consistent store must not pass (rules 3 and 4).
    @inline(__always)
    func prepareStore(_ location: Int, _ ordering: UInt32) {
      guard ordering.isTotal else { return }
      drainAll(of: state.pointee.current)
      publishUpdate(at: location)
    }

    /// Drains the entries that an update by the current thread must read (rules 3, 4 and 5).
    func prepareUpdate(_ location: Int, _ ordering: UInt32) {
      let thread = state.pointee.current
      if ordering.isTotal {
        drainAll(of: thread)
      } else {
        drain(of: thread, upTo: location)
      }
      guard state.pointee.updateCount > 0 else { return }
      publishUpdate(at: location)
      guard !ordering.isTotal else { return }
      if ordering.releases { publishUpdatesAtOwnStores() }
      publishUpdates(behindStoresTo: location)
    }

    /// Establishes rule 5 for the next update of the current thread: drains other threads' updates
    /// of the words for which this thread has entries.
    private func publishUpdatesAtOwnStores() {
      let thread = state.pointee.current
      for index in 0..<Int(threads[thread].bufferCount) {
        publishUpdate(at: Int(entries(of: thread)[index].location))
      }
    }

    /// Establishes rule 5 for the updates of other threads that follow their stores to the
    /// location.
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

    /// Drains the update of the word in another thread's buffer, if there is one (rule 4).
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

    /// Drains all entries up to the newest one for the location.
    private func drain(of thread: Int, upTo location: Int) {
      let entries = entries(of: thread)
      let count = Int(threads[thread].bufferCount)
      guard let last = (0..<count).last(where: { entries[$0].location == location }) else { return }
      for _ in 0...last { drain(thread, 0) }
    }

    /// Drains all entries for the memory of an object that is about to be freed.
    func drainAll(within object: UnsafeRawPointer) {
      defer { forgetValues() }
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

    /// Drains all entries for words outside of the arena, because an execution may reuse their
    /// memory.
    func settle() {
      defer { forgetValues() }
      guard state.pointee.bufferedCount > 0 else { return }
      for thread in 1..<state.pointee.threadCount {
        let entries = entries(of: thread)
        while let index = (0..<Int(threads[thread].bufferCount)).first(where: {
          offset(of: UInt(bitPattern: entries[$0].address)) >= UInt(Arena.byteCount)
        }) {
          drain(thread, isDrainable(thread, index) ? index : 0)
        }
      }
    }

    /// Returns whether the entry may leave the buffer now (rule 2).
    @inline(__always)
    func isDrainable(_ thread: Int, _ index: Int) -> Bool {
      let entries = entries(of: thread)
      if index == 0 { return true }
      if entries[index].isReleasing { return false }
      return !(0..<index).contains { entries[$0].location == entries[index].location }
    }

    /// Moves an entry from the buffer to memory.
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
      if state.pointee.hasReorderedLoads {
        add(
          entry.value, entry.address, at: location, entry.clock, by: thread, at: entry.time,
          access: entry.access, taint: entry.taint, isTotal: false)
      }
      entry.address.pointee = entry.value
      locations[location].clock = entry.clock
      let step = record(
        .drain, by: thread, site(ofStep: Int(entry.step)), address: UInt(bitPattern: entry.address),
        value: entry.value)
      let trace = state.pointee.recordings.trace
      trace[step].node = trace[Int(entry.step)].node
      if state.pointee.spinnerCount > 0 { wakeSpinners() }
    }
  }
#endif
