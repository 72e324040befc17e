// Reordered loads: the weakest memory model. A load may return an older value than the one in
// memory, as if it had executed before the newer stores. It may also return the value of a later
// store; `PendingPromise` has the rules for that.
//
// In addition to its value, each word has its last values, in the order in which they reached
// memory (their modification order). The strategy decides which one a load returns. The rules are
// those of C++ for coherence and for sequential consistency, with vector clocks (as in CDSChecker:
// Norris and Demsky, OOPSLA 2013):
//
//  1. A load does not return a value if a newer value was stored, or was read, by a step that
//     happened before the load. So a thread never reads backwards, and an acquire makes the stores
//     before the release visible.
//  2. A sequentially consistent load does not return a value if another sequentially consistent
//     operation stored or read a newer one before. The same holds for a load after a sequentially
//     consistent fence, if the operation was before the fence.
//  3. What happened before a sequentially consistent fence counts as happened before the later
//     fences of this kind, and before sequentially consistent loads, but only for rule 1: it
//     does not order plain accesses.
//  4. Time passes while a thread spins or waits: its next loads miss no store that was in memory
//     before. So a loop that waits for a store ends.
//  5. A load of the thread's own buffered store returns that store. A read-modify-write and a
//     failed compare-exchange read the newest value. The value that a load returns carries the
//     clock of its store, which an acquire joins.
//
// The model is stronger than C++ in these respects, and in those of `PendingPromise`. Sequentially
// consistent operations take effect in the order of their steps. An acquire also joins what the
// fences before it have ordered. A word has its last 8 values, and values from before the end of an
// object outside of the arena are forgotten. In an execution with more threads than a clock has
// lanes, loads return the newest value.

#if Interleaving
  import CShims

  /// A value that a word has, or had before newer ones.
  struct StoredValue {
    var value: UInt64
    /// The clock that a thread joins when it acquires this value.
    var clock: Clock
    /// For each lane, the time of the thread's first step that stored or read the value; 0 if there
    /// is none.
    var uses: Clock
    /// The number of the first sequentially consistent operation that stored or read the value; 0
    /// if there is none.
    var total: UInt32
    /// The number of the store among those of the execution.
    var number: UInt32
    /// The thread that stored the value, and the number of that access; 0 and 0 if the word had the
    /// value before.
    var writer: UInt32
    var access: UInt32
    /// The taint of the thread at the store (`PendingPromise`).
    var taint: UInt32
  }

  /// What fences and waits order for the later loads of a thread.
  struct LoadBound {
    /// Rule 3: the steps before the sequentially consistent fences.
    var fenced = Clock()
    /// Rule 2: the number of sequentially consistent operations before the last such fence.
    var total: UInt32 = 0
    /// Rule 4: the number of stores before the last wait.
    var number: UInt32 = 0
  }

  // The rules are at the top of this file.
  extension Engine {
    @inline(__always)
    private func values(at location: Int) -> UnsafeMutablePointer<StoredValue> {
      state.pointee.values + location &* Schedule.mostValues
    }

    /// Returns the value that a load of the current thread returns, the clock of its store, and
    /// whether that store is a promise; `nil` if the value is the one in memory and needs no note.
    /// Takes a decision if there are several.
    func valueToLoad(
      _ address: Word, at location: Int, _ ordering: UInt32, _ site: cws_site
    ) -> (value: UInt64, clock: Clock, isPromised: Bool)? {
      guard keepsValues, currentLane >= 0 else { return nil }
      let newest = newestValue(address, at: location)
      let known = known(by: state.pointee.current, ordering.isTotal)
      let count = loadableCount(
        newest, of: Int(locations[location].valueCount), known: known, ordering)
      learnPromises(newest, count: count, known: known, ordering)
      if let promise = promiseToRead(address, ordering, line: site.line) {
        return (UInt64(promise.value), Clock(), isPromised: true)
      }
      let age = count == 1 ? 0 : decideAge(among: count)
      use(newest - age, ordering)
      noteDependency(on: newest - age, among: newest, count: count, line: site.line)
      return (newest[-age].value, newest[-age].clock, isPromised: false)
    }

    /// Notes that the current thread has read the newest value.
    func noteRead(_ address: Word, at location: Int, _ ordering: UInt32, _ site: cws_site) {
      guard keepsValues, currentLane >= 0 else { return }
      let newest = newestValue(address, at: location)
      // Earlier, it would have read an older value. Only a pending promise depends on which ones.
      let count =
        hasPendingPromise
        ? loadableCount(
          newest, of: Int(locations[location].valueCount),
          known: known(by: state.pointee.current, ordering.isTotal), ordering) : 1
      use(newest, ordering)
      noteDependency(on: newest, among: newest, count: count, line: site.line)
    }

    private func use(_ value: UnsafeMutablePointer<StoredValue>, _ ordering: UInt32) {
      if value.pointee.uses[currentLane] == 0 {
        value.pointee.uses[currentLane] = currentClock[currentLane]
      }
      if ordering.isTotal, value.pointee.total == 0 { value.pointee.total = nextTotal() }
    }

    /// Returns the times of the steps that happened before the next access of the thread, for
    /// rules 1 and 3.
    ///
    /// - Parameter isTotal: Whether the access is sequentially consistent.
    func known(by thread: Int, _ isTotal: Bool) -> Clock {
      var known = threads[thread].clock
      known.join(threads[thread].loadBound.fenced)
      if isTotal { known.join(state.pointee.fenced) }
      return known
    }

    /// Returns how many of the newest values the load may return.
    private func loadableCount(
      _ newest: UnsafeMutablePointer<StoredValue>, of count: Int, known: Clock, _ ordering: UInt32
    ) -> Int {
      let bound = threads + state.pointee.current
      let number = bound.pointee.loadBound.number
      let total = ordering.isTotal ? state.pointee.totalCount : bound.pointee.loadBound.total
      var newer = newest
      for age in 1..<count {
        let isKnown =
          newer.pointee.uses.hasTime(upTo: known)
          || newer.pointee.total > 0 && newer.pointee.total <= total
          || newer.pointee.number <= number
        if isKnown { return age }
        newer -= 1
      }
      return count
    }

    /// Adds a value that reaches memory.
    ///
    /// - Parameters:
    ///   - thread: The thread that stored the value, its time at the store, the number of the
    ///     access, and the thread's taint.
    ///   - isTotal: Whether the store is sequentially consistent.
    func add(
      _ value: UInt64, _ address: Word, at location: Int, _ clock: Clock, by thread: Int,
      at time: UInt32, access: UInt32, taint: UInt32, isTotal: Bool
    ) {
      guard keepsValues else { return }
      var newest = newestValue(address, at: location)
      var uses = Clock()
      if thread > 0 {
        uses[thread - 1] = time
        let values = values(at: location)
        if Int(locations[location].valueCount) == Schedule.mostValues {
          values.update(from: values + 1, count: Schedule.mostValues - 1)
        } else {
          locations[location].valueCount += 1
          newest += 1
        }
      } else {
        // The scenario runs alone: every thread knows its stores.
        newest = values(at: location)
        locations[location].valueCount = 1
      }
      state.pointee.valueNumber &+= 1
      newest.pointee = StoredValue(
        value: value, clock: clock, uses: uses, total: isTotal ? nextTotal() : 0,
        number: state.pointee.valueNumber, writer: UInt32(truncatingIfNeeded: thread),
        access: access, taint: taint)
      if hasPendingPromise { checkPromise(atCommit: newest, of: address) }
    }

    /// Returns the newest value. Begins anew if the word is one of a new object, or was written
    /// without a step.
    private func newestValue(
      _ address: Word, at location: Int
    ) -> UnsafeMutablePointer<StoredValue> {
      let values = values(at: location)
      let count = Int(locations[location].valueCount)
      let isInArena = offset(of: UInt(bitPattern: address)) < UInt(Arena.byteCount)
      let isCurrent = isInArena || locations[location].objects == state.pointee.endedObjects
      if count > 0, isCurrent, values[count - 1].value == address.pointee {
        return values + (count - 1)
      }
      // A value that only seems to be new keeps its taint.
      let isSame = count > 0 && values[count - 1].value == address.pointee
      values.pointee = StoredValue(
        value: address.pointee, clock: locations[location].clock, uses: Clock(), total: 0,
        number: 0, writer: 0, access: 0, taint: isSame ? values[count - 1].taint : 0)
      locations[location].valueCount = 1
      locations[location].objects = state.pointee.endedObjects
      return values
    }

    /// Forgets older values of words outside of the arena, because an execution may reuse their
    /// memory.
    @inline(__always)
    func forgetValues() { state.pointee.endedObjects &+= 1 }

    @inline(__always)
    private var keepsValues: Bool { state.pointee.hasReorderedLoads && state.pointee.hasClocks }

    private func nextTotal() -> UInt32 {
      state.pointee.totalCount &+= 1
      return state.pointee.totalCount
    }

    /// Rules 2 and 3: a sequentially consistent fence of the current thread.
    func orderLoads() {
      guard keepsValues else { return }
      state.pointee.fenced.join(currentClock)
      state.pointee.totalAtFence = state.pointee.totalCount
      joinFences()
    }

    /// Joins what the sequentially consistent fences of all threads have ordered.
    @inline(__always)
    func joinFences() { joinFences(by: state.pointee.current) }

    func joinFences(by thread: Int) {
      let thread = threads + thread
      thread.pointee.loadBound.fenced = state.pointee.fenced
      thread.pointee.loadBound.total = state.pointee.totalAtFence
    }

    /// Rule 4: the next loads of the current thread miss no store that is in memory now.
    @inline(__always)
    func passTime() {
      threads[state.pointee.current].loadBound.number = state.pointee.valueNumber
    }
  }

  extension UInt32 {
    /// Whether the ordering is sequentially consistent, so that the operation is part of the single
    /// total order.
    @inline(__always) var isTotal: Bool { self == UInt32(CWS_SEQUENTIALLY_CONSISTENT) }
  }
#endif
