// A lock in one word (Drepper, "Futexes are tricky", 2011, the third one), which spins briefly
// first.
//
// States of the word: *free*; *held*; *contended*: held, and other threads may sleep.
//
// Invariants:
//  1. The thread that changes the word from free to another state has the lock, until it sets the
//     word to free.
//  2. A thread goes to sleep only if the word is contended at that moment.
//  3. The thread that frees a contended lock wakes one sleeper. A thread that has slept, or was
//     about to, takes the lock as contended, since others may still sleep; so one of them is woken
//     in turn.
//
// Why no thread sleeps indefinitely. By 2 the word was contended when the thread went to sleep. By
// 1 and 3 it stays contended until some thread frees the lock and wakes one sleeper. That sleeper
// either takes the lock as contended, or finds that another thread has it, makes the word contended
// and sleeps again. If no thread sleeps when a contended lock is freed, the wake-up is wasted: that
// is the price of using only one word.
//
// Progress: blocking, and not fair: a running thread takes a free lock before the one just woken
// can. That is why the lock stays fast with more threads than cores, where a lock that is handed
// over waits for a thread that is not running. A thread spins only while no other sleeps: if others
// sleep, the holder has had the lock for long.

import Primitives

/// A value behind a lock that spins briefly and then sleeps; readers exclude each other too.
public struct AdaptiveLock<Value>: ValueLock, ~Copyable {
  // In memory of their own, together on a cache line that holds nothing else.
  private let word: Futex.Word
  private let value: UnsafeMutablePointer<Value>

  private static var free: UInt32 { 0 }
  private static var held: UInt32 { 1 }
  private static var contended: UInt32 { 2 }

  /// The number of times a thread checks a held lock before it sleeps, with ever longer pauses. 0
  /// under a managed scheduler, where no thread would ever sleep otherwise.
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
    return try body(&value.writing().pointee)
  }

  @inline(__always)
  private borrowing func acquire() {
    if !take() { acquireSlowly() }
  }

  /// Takes a free lock; returns whether it was free.
  @inline(__always)
  private borrowing func take() -> Bool {
    // Acquiring: pairs with the exchange in `release`; what was done under the lock is visible
    // here. If it fails, it uses nothing that it read.
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
      Futex.wait(on: word, while: Self.contended)
    }
  }

  /// Spins for about as long as a short critical section lasts; returns whether it took the lock.
  private borrowing func spin() -> Bool {
    for turn in 0..<Self.spins {
      for _ in 0..<1 << turn { spinHint() }
      // Relaxed: a first check; `take` decides.
      let now = word.pointee.load(ordering: .relaxed)
      if now == Self.free && take() { return true }
      if now == Self.contended { return false }
    }
    return false
  }

  /// Announces that a thread may sleep, and takes the lock if it was free; returns whether it was.
  private borrowing func takeContended() -> Bool {
    // Acquiring: as in `take`. Whether the holder sees this in time does not depend on its
    // ordering: it is an exchange of the word that the holder exchanges in `release`, and one of
    // the two comes first.
    return word.pointee.exchange(Self.contended, ordering: .acquiring) == Self.free
  }

  @inline(__always)
  private borrowing func release() {
    if exchangeForFree() == Self.contended { Futex.wakeOne(on: word) }
  }

  @inline(__always)
  private borrowing func exchangeForFree() -> UInt32 {
    // Releasing: pairs with the acquiring operations of the thread that takes the lock next.
    return word.pointee.exchange(Self.free, ordering: .releasing)
  }
}

// @unchecked: the value is reached only through the lock.
extension AdaptiveLock: @unchecked Sendable where Value: Sendable {}
