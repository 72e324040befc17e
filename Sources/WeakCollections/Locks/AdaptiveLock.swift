// A lock in one word (Drepper, "Futexes are tricky", 2011, its third), which spins a little first.
//
// States of the word: *free*; *held*; *contended*: held, and others may sleep.
//
// Invariants:
//  1. Who changes the word from free to another state has the lock, until it sets the word to free.
//  2. A thread goes to sleep only if the word is contended at that moment.
//  3. Who frees a contended lock wakes one sleeper. Who has slept, or was about to, takes the lock as
//     contended, since others may sleep still; so one of them is woken in turn.
//
// Why nobody sleeps for ever: by 2 the word was contended when the sleeper went to sleep; by 1 and 3 it
// stays so until somebody frees it and wakes one, who either takes it as contended or finds that another
// has it, makes it contended and sleeps. When a lock is freed that nobody has slept for, the wake is in
// vain: that is the price of one word.
//
// Progress: blocking, and not fair: a running thread takes a free lock before the one just woken can. That
// is why it holds under more threads than cores, where a lock that is handed over waits for a thread that
// does not run. A thread spins only while nobody sleeps: with sleepers, the holder has been away for long.

import Primitives

/// A value behind a lock that spins briefly and then sleeps; readers exclude each other too.
public struct AdaptiveLock<Value>: ValueLock, ~Copyable {
  // In memory of their own, on one cache line with each other and with nothing else.
  private let word: Futex.Word
  private let value: UnsafeMutablePointer<Value>

  private static var free: UInt32 { 0 }
  private static var held: UInt32 { 1 }
  private static var contended: UInt32 { 2 }

  /// Looks at a held lock before a thread sleeps; between them it pauses for ever longer. None under a
  /// managed scheduler, where nobody would ever sleep otherwise.
  private static var spins: Int {
    #if Interleaving
      0
    #else
      7
    #endif
  }

  public init(_ value: consuming Value) {
    let alignment = max(MemoryLayout<Value>.alignment, MemoryLayout<Atomic<UInt32>>.alignment)
    let offset = (MemoryLayout<Atomic<UInt32>>.size + alignment - 1) & ~(alignment - 1)
    let memory = NodeMemory.allocateApart(byteCount: offset + MemoryLayout<Value>.size)
    word = memory.bindMemory(to: Atomic<UInt32>.self, capacity: 1)
    word.initialize(to: Atomic(Self.free))
    self.value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
    self.value.writing().initialize(to: value)
  }

  deinit {
    value.writing().deinitialize(count: 1)
    word.deinitialize(count: 1)
    NodeMemory.deallocate(word)
  }

  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    acquire()
    defer { release() }
    return try body(value.reading().pointee)
  }

  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    acquire()
    defer { release() }
    HaltPoint.underLock.reach()
    return try body(&value.writing().pointee)
  }

  @inline(__always)
  private borrowing func acquire() {
    if !take() { acquireSlowly() }
  }

  /// Takes a free lock; returns whether it was free.
  @inline(__always)
  private borrowing func take() -> Bool {
    if Defect.lockTakenTwice.isPlanted {
      guard word.pointee.load(ordering: .acquiring) == Self.free else { return false }
      word.pointee.store(Self.held, ordering: .relaxed)
      return true
    }
    // Acquiring: pairs with the exchange in `release`; what was done under the lock is visible here.
    // Failing, it learns nothing that it uses.
    return word.pointee.compareExchange(
      expected: Self.free, desired: Self.held, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  @inline(never)
  private borrowing func acquireSlowly() {
    if spin() { return }
    CurrentThread.noteFailedExchange()
    while !takeContended() {
      Futex.wait(
        on: word, while: Defect.sleptUnannounced.isPlanted ? Self.held : Self.contended)
      if Defect.wakeTakenForLock.isPlanted { return }
      if Defect.waitersForgotten.isPlanted && take() { return }
    }
  }

  /// Waits awake for the lock, for as long as a short exclusion lasts; returns whether it got it.
  private borrowing func spin() -> Bool {
    for turn in 0..<Self.spins {
      for _ in 0..<1 << turn { spinHint() }
      // Relaxed: a look; `take` makes sure.
      let now = word.pointee.load(ordering: .relaxed)
      if now == Self.free && take() { return true }
      if now == Self.contended { return false }
    }
    return false
  }

  /// Says that somebody may sleep, and takes the lock if it was free.
  private borrowing func takeContended() -> Bool {
    if Defect.sleptUnannounced.isPlanted { return take() }
    // Acquiring: as in `take`. Whether the holder sees this in time does not depend on its order: it is
    // an exchange of the word that the holder exchanges in `release`, and one of the two comes first.
    return word.pointee.exchange(Self.contended, ordering: .acquiring) == Self.free
  }

  @inline(__always)
  private borrowing func release() {
    if exchangeForFree() == Self.contended && !Defect.freedWithoutWaking.isPlanted {
      Futex.wakeOne(on: word)
    }
  }

  @inline(__always)
  private borrowing func exchangeForFree() -> UInt32 {
    if Defect.freedByStore.isPlanted {
      defer { word.pointee.store(Self.free, ordering: .releasing) }
      return word.pointee.load(ordering: .relaxed)
    }
    // Releasing: pairs with the acquiring operations of whoever takes the lock next.
    return word.pointee.exchange(Self.free, ordering: .releasing)
  }
}

// @unchecked: the value is reached only through the lock.
extension AdaptiveLock: @unchecked Sendable where Value: Sendable {}
