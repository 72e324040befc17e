// Promised stores: with reordered loads, a load may also return the value of a store that another
// thread executes later, as if the load had executed after that store. An example is load
// buffering: each of two threads loads what the other stores after its own load. The term *promise*
// is that of the promising semantics (Kang and others, POPL 2017). The rules:
//
//  1. A search learns promises from executions, before these read one. It learns that a load may
//     read a store if the load found the store in memory, and the store did not happen before it.
//     Loads and stores are identified by their threads, and by their numbers in these threads.
//  2. The store does not depend on the load, so no value comes out of thin air. A value is
//     *tainted* if it may depend on the load: the loading thread stored it after the load, or a
//     thread stored it after reading a tainted value. Up to the store, each read of the storing
//     thread returns what it returned when the search learned the promise. A tainted read may
//     return something else, if it could also have returned that value, untainted. A thread that
//     has loaded the promise or a tainted value uses no lock, wake-up, barrier or other thread
//     until the promise is fulfilled, because these carry no taint.
//  3. The promise is fulfilled when the same access of the other thread has stored the same value
//     in the same word, and the store reaches memory.
//  4. The load did not happen before the store, not even by sequentially consistent fences (rule 3
//     of `StoredValue`).
//  5. Before the promise is fulfilled, no step after the load (in happens-before) reads the word:
//     it would read an older value than the load. And no store after the load reaches the word: it
//     would be older than the value that the load has read.
//  6. If the load acquires, or if its thread executes an acquire fence before the promise is
//     fulfilled, then the store publishes nothing that the thread did not know at the load.
//
// If a rule is broken, C++ does not allow the execution. It continues to its end, but takes no
// other alternatives and reads no more promises. A failure counts only if every promise that was
// read before it is fulfilled.
//
// The bounds: one promise at a time, 32 in an execution, 1024 in a search; the first 32 accesses of
// the storing thread; values below 2¹⁶, so that no promised value is a pointer; no promise for
// sequentially consistent loads, for read-modify-writes, and for words of which the thread has a
// buffered store. Rule 2 compares atomic reads, and does not see what a store depends on by plain
// memory alone. A read is identified by its line and value.

extension PromisedStore {
  /// The bound on values, which excludes pointers.
  static let valueBound = 1 << 16
  /// The maximum number of promises of an execution.
  static let mostInExecution = 32
  /// The maximum number of promises that a search knows.
  static let mostInSearch = 1024
  /// The highest number, in its thread, of an access whose store can be promised.
  static let lastAccess = 32
}

#if Interleaving
  import CShims

  /// For each of the first accesses of a thread, a hash of its line and of the value that it read;
  /// 0 if it read no value, or its own buffered store.
  typealias ReadHashes = SIMD32<UInt32>

  /// A promise that a search knows, for one access of one thread.
  ///
  /// `Recordings.promisedReads` has what the storing thread had read up to the store.
  struct KnownPromise {
    var loadThread: Int
    var store: PromisedStore
    var loadAccess: UInt32
    /// The index, plus one, of the next promise with the same hash; 0 if there is none.
    var next: Int32
  }

  /// The state of the current execution's promises.
  enum PromiseState: UInt8 {
    /// Every promise is fulfilled.
    case kept
    case pending
    case broken
    /// The execution has failed while a promise was pending or broken.
    case abandoned
  }

  /// The pending promise.
  struct PendingPromise {
    var store = PromisedStore(thread: 0, access: 0, value: 0)
    /// What the storing thread read when the search learned the promise (rule 2); `nil` in a
    /// replay, which repeats an execution that has been checked.
    var reads: UnsafeMutablePointer<ReadHashes>?
    /// The tainted reads of the storing thread that could have returned what they returned then.
    var excusedReads: UInt32 = 0
    /// The tainted reads of the storing thread.
    var taintedReads: UInt32 = 0
    var address: UInt = 0
    /// The lane and the clock of the thread that has read the promise, at the load.
    var lane = 0
    var clock = Clock()
    /// Whether the load, or a fence of its thread after it, acquires.
    var acquires = false
    /// Whether the store is executed. It may still be in the buffer.
    var isStored = false
  }

  // The rules are at the top of this file.
  extension Engine {
    @inline(__always)
    var hasPendingPromise: Bool { counts.pointee.promise == .pending }

    @inline(__always)
    private var current: UnsafeMutablePointer<VirtualThread> { threads + state.pointee.current }

    // MARK: Learning promises

    /// Learns promises for later executions: the current load may return these stores early. They
    /// are those among the `count` newest values that did not happen before it.
    func learnPromises(
      _ newest: UnsafeMutablePointer<StoredValue>, count: Int, known: Clock, _ ordering: UInt32
    ) {
      guard counts.pointee.promise == .kept, counts.pointee.promiseCount == 0, !ordering.isTotal,
        hasRoomForPromises, state.pointee.strategy != .replay
      else { return }
      for age in 0..<count {
        let stored = newest - age
        let writer = Int(stored.pointee.writer)
        guard writer > 0, writer != state.pointee.current,
          stored.pointee.value < UInt64(PromisedStore.valueBound),
          (1...PromisedStore.lastAccess).contains(Int(stored.pointee.access)),
          stored.pointee.uses[writer - 1] > known[writer - 1]
        else { continue }
        learn(
          PromisedStore(
            thread: writer, access: Int(stored.pointee.access), value: Int(stored.pointee.value)))
      }
    }

    private func learn(_ store: PromisedStore) {
      let known = state.pointee.recordings.knownPromises
      let knownReads = state.pointee.recordings.promisedReads
      let reads = reads(of: store.thread, upTo: store.access)
      let head = headOfPromises
      var index = Int(head.pointee)
      while index > 0 {
        let promise = known + (index - 1)
        if isForCurrentLoad(promise), promise.pointee.store == store,
          knownReads[index - 1] == reads
        {
          return
        }
        index = Int(promise.pointee.next)
      }
      guard hasRoomForPromises else { return }
      let count = counts.pointee.knownPromiseCount
      known[count] = KnownPromise(
        loadThread: state.pointee.current, store: store, loadAccess: current.pointee.accessCount,
        next: head.pointee)
      knownReads[count] = reads
      head.pointee = Int32(count + 1)
      counts.pointee.knownPromiseCount = count + 1
    }

    /// The head of the list of promises for the current access.
    private var headOfPromises: UnsafeMutablePointer<Int32> {
      let hash = state.pointee.current &* 61 &+ Int(current.pointee.accessCount)
      return state.pointee.recordings.promiseHeads + hash & (PromisedStore.mostInSearch - 1)
    }

    private func isForCurrentLoad(_ promise: UnsafeMutablePointer<KnownPromise>) -> Bool {
      promise.pointee.loadThread == state.pointee.current
        && promise.pointee.loadAccess == current.pointee.accessCount
    }

    func forgetPromises() {
      counts.pointee.knownPromiseCount = 0
      counts.pointee.usablePromiseCount = 0
      state.pointee.recordings.promiseHeads.update(repeating: 0, count: PromisedStore.mostInSearch)
    }

    /// Whether the search can learn more promises. If not, it may have missed some.
    var hasRoomForPromises: Bool {
      counts.pointee.knownPromiseCount < PromisedStore.mostInSearch
    }

    /// Prepares another round of a depth-first search, which uses the promises that this round has
    /// learned. Returns false if there are none.
    func useNewPromises() -> Bool {
      guard counts.pointee.knownPromiseCount > counts.pointee.usablePromiseCount else {
        return false
      }
      counts.pointee.usablePromiseCount = counts.pointee.knownPromiseCount
      return true
    }

    // MARK: Reading a promise

    /// Returns the promise that the current load reads; `nil` if it reads a value that is stored.
    /// Takes a decision if there is a promise to read.
    func promiseToRead(_ address: Word, _ ordering: UInt32, line: UInt32) -> PromisedStore? {
      guard counts.pointee.promise == .kept, !ordering.isTotal,
        counts.pointee.promiseCount < PromisedStore.mostInExecution,
        let (store, reads) = selectPromise()
      else { return nil }
      let number = counts.pointee.promiseCount
      state.pointee.recordings.promises[number] = store
      record(decision: Decision.readPromise(thread: state.pointee.current, promise: number).code)
      counts.pointee.promiseCount = number + 1
      counts.pointee.promise = .pending
      state.pointee.promise = PendingPromise(
        store: store, reads: reads, address: UInt(bitPattern: address), lane: currentLane,
        clock: currentClock, acquires: ordering.acquires)
      // Taint is of one promise.
      current.pointee.taint = currentTaint
      note(read: UInt64(store.value), line)
      return store
    }

    private func selectPromise() -> (PromisedStore, UnsafeMutablePointer<ReadHashes>?)? {
      switch state.pointee.strategy {
      case .randomWalk, .probabilisticConcurrency:
        guard headOfPromises.pointee > 0, draw(below: 8) == 0 else { return nil }
        let count = countUsablePromises(below: counts.pointee.knownPromiseCount)
        guard count > 0 else { return nil }
        return usablePromise(draw(below: count), below: counts.pointee.knownPromiseCount)
      case .depthFirst:
        let count = countUsablePromises(below: counts.pointee.usablePromiseCount)
        guard count > 0 else { return nil }
        let taken = Int(choice(among: count + 1))
        return taken == 0
          ? nil : usablePromise(taken - 1, below: counts.pointee.usablePromiseCount)
      case .replay: return replayedPromise()
      case .dynamicPartialOrderReduction: return nil
      }
    }

    private func countUsablePromises(below bound: Int) -> Int {
      var count = 0
      forEachUsablePromise(below: bound) { _ in
        count += 1
        return true
      }
      return count
    }

    private func usablePromise(
      _ number: Int, below bound: Int
    ) -> (PromisedStore, UnsafeMutablePointer<ReadHashes>?) {
      var found = 0
      var rest = number
      forEachUsablePromise(below: bound) { index in
        found = index
        rest -= 1
        return rest >= 0
      }
      let recordings = state.pointee.recordings
      return (recordings.knownPromises[found].store, recordings.promisedReads + found)
    }

    /// Calls `body` with the indices of the known promises for the current load whose stores are
    /// still to come, until it returns false.
    @inline(__always)
    private func forEachUsablePromise(below bound: Int, _ body: (Int) -> Bool) {
      var index = Int(headOfPromises.pointee)
      while index > 0 {
        let promise = state.pointee.recordings.knownPromises + (index - 1)
        if index <= bound, isForCurrentLoad(promise), isToCome(promise.pointee.store),
          !body(index - 1)
        {
          return
        }
        index = Int(promise.pointee.next)
      }
    }

    private func isToCome(_ store: PromisedStore) -> Bool {
      store.thread < state.pointee.threadCount && store.thread != state.pointee.current
        && threads[store.thread].state != .finished
        && Int(threads[store.thread].accessCount) < store.access
    }

    private func replayedPromise() -> (PromisedStore, UnsafeMutablePointer<ReadHashes>?)? {
      let place = counts.pointee.decisionCount
      guard place < state.pointee.replayCount,
        case .readPromise(let thread, let number) = Decision(code: state.pointee.replay![place])
      else { return nil }
      let promises = state.pointee.execution!.takeUnretainedValue().replayedPromises
      guard thread == state.pointee.current, number == counts.pointee.promiseCount,
        number < promises.count, isToCome(promises[number])
      else { failMismatch() }
      return (promises[number], nil)
    }

    // MARK: Dependencies

    /// The mark of values that depend on the pending promise; 0 if none is pending.
    @inline(__always)
    private var currentTaint: UInt32 {
      hasPendingPromise ? UInt32(truncatingIfNeeded: counts.pointee.promiseCount) : 0
    }

    /// Notes the value that the current access, on a line of the source, has read.
    ///
    /// - Parameter count: The number of the newest values, from `newest` backwards, that it could
    ///   have read.
    func noteDependency(
      on stored: UnsafeMutablePointer<StoredValue>,
      among newest: UnsafeMutablePointer<StoredValue>, count: Int, line: UInt32
    ) {
      note(read: stored.pointee.value, line)
      guard hasPendingPromise, stored.pointee.taint == currentTaint else { return }
      let thread = current
      thread.pointee.taint = currentTaint
      let promise = state.pointee.promise
      let access = Int(thread.pointee.accessCount)
      guard let learned = promise.reads, !promise.isStored, access <= promise.store.access,
        state.pointee.current == promise.store.thread
      else { return }
      state.pointee.promise.taintedReads |= 1 << UInt32(access - 1)
      let isExcused = (0..<count).contains { age in
        newest[-age].taint != currentTaint
          && hash(newest[-age].value, line) == learned.pointee[access - 1]
      }
      if isExcused { state.pointee.promise.excusedReads |= 1 << UInt32(access - 1) }
    }

    private func note(read value: UInt64, _ line: UInt32) {
      let access = Int(current.pointee.accessCount)
      if access <= PromisedStore.lastAccess {
        current.pointee.reads[access - 1] = hash(value, line)
      }
    }

    private func hash(_ value: UInt64, _ line: UInt32) -> UInt32 {
      UInt32(truncatingIfNeeded: Exploration.mix(value &+ UInt64(line) << 48) >> 32) | 1
    }

    /// Notes that the current thread reaches others by something else than an atomic operation
    /// (rule 2).
    func noteSynchronization() {
      if hasPendingPromise, current.pointee.taint == currentTaint { breakPromise() }
    }

    private static var accessNumbers: ReadHashes {
      [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
        26, 27, 28, 29, 30, 31, 32,
      ]
    }

    /// Returns what the thread has read up to an access.
    private func reads(of thread: Int, upTo access: Int) -> ReadHashes {
      threads[thread].reads.replacing(with: 0, where: Self.accessNumbers .> UInt32(access))
    }

    /// Returns whether the store that the current thread executes does not depend on the promised
    /// load (rule 2).
    private var isStoreIndependent: Bool {
      let promise = state.pointee.promise
      guard let learned = promise.reads else { return true }
      let differs = reads(of: state.pointee.current, upTo: promise.store.access) .!= learned.pointee
      return (0..<promise.store.access).allSatisfy { place in
        let bit = UInt32(1) << UInt32(place)
        return promise.excusedReads & bit != 0 || !differs[place] && promise.taintedReads & bit == 0
      }
    }

    // MARK: Keeping a promise

    /// Begins a load or a read-modify-write of the current thread, and checks it against the
    /// pending promise (rule 5).
    ///
    /// - Parameter stores: Whether the access also stores.
    @inline(__always)
    func beginRead(_ address: Word, _ ordering: UInt32, stores: Bool) {
      current.pointee.accessCount &+= 1
      if hasPendingPromise { checkPromise(atRead: address, ordering, stores: stores) }
    }

    /// Begins a store of the current thread.
    @inline(__always)
    func beginStore(_ address: Word, _ value: UInt64, _ ordering: UInt32) {
      current.pointee.accessCount &+= 1
      promise(stores: value, at: address, ordering)
    }

    /// Checks a store of the current thread against the pending promise (rules 2 to 4).
    @inline(__always)
    func promise(stores value: UInt64, at address: Word, _ ordering: UInt32) {
      if hasPendingPromise { checkPromise(atStore: address, value, ordering) }
    }

    private func checkPromise(atRead address: Word, _ ordering: UInt32, stores: Bool) {
      let isPromised = isPromisedAccess(state.pointee.current, current.pointee.accessCount)
      let isSameWord = UInt(bitPattern: address) == state.pointee.promise.address
      if isPromised && !stores || isSameWord && knowsPromisedLoad(ordering) { breakPromise() }
    }

    private func checkPromise(atStore address: Word, _ value: UInt64, _ ordering: UInt32) {
      guard isPromisedAccess(state.pointee.current, current.pointee.accessCount) else { return }
      let promise = state.pointee.promise
      let isSame =
        UInt(bitPattern: address) == promise.address && value == UInt64(promise.store.value)
      if !isSame || knowsPromisedLoad(ordering) || !isStoreIndependent { return breakPromise() }
      state.pointee.promise.isStored = true
    }

    /// Checks a store that reaches memory (rules 5 and 6), and fulfills the promise if it is the
    /// promised one.
    func checkPromise(
      atCommit stored: UnsafeMutablePointer<StoredValue>, of address: Word
    ) {
      let promise = state.pointee.promise
      let thread = Int(stored.pointee.writer)
      if promise.isStored, isPromisedAccess(thread, stored.pointee.access) {
        let addsNothing = all(stored.pointee.clock .<= promise.clock)
        if promise.acquires, !addsNothing { return breakPromise() }
        counts.pointee.promise = .kept
        stored.pointee.uses[promise.lane] = promise.clock[promise.lane]
        threads[promise.lane + 1].acquirable.join(stored.pointee.clock)
      } else if UInt(bitPattern: address) == promise.address,
        knowsPromisedLoad(known(by: thread, stored.pointee.total > 0))
      {
        breakPromise()
      }
    }

    /// Notes an acquire fence of the current thread (rule 6).
    func checkPromiseAtAcquireFence() {
      if currentLane == state.pointee.promise.lane { state.pointee.promise.acquires = true }
    }

    /// Breaks the promise that is pending when all threads have ended.
    func breakPromiseAtEnd() {
      if hasPendingPromise { breakPromise() }
    }

    /// Breaks the pending promise if the thread has read it.
    func breakPromise(of thread: Int) {
      if hasPendingPromise, state.pointee.promise.lane == thread - 1 { breakPromise() }
    }

    private func breakPromise() { counts.pointee.promise = .broken }

    private func isPromisedAccess(_ thread: Int, _ access: UInt32) -> Bool {
      let store = state.pointee.promise.store
      return thread == store.thread && Int(access) == store.access
    }

    /// Returns whether the load that has read the promise happened before the current step.
    private func knowsPromisedLoad(_ ordering: UInt32) -> Bool {
      knowsPromisedLoad(known(by: state.pointee.current, ordering.isTotal))
    }

    private func knowsPromisedLoad(_ known: Clock) -> Bool {
      let promise = state.pointee.promise
      return known[promise.lane] >= promise.clock[promise.lane]
    }
  }
#endif
