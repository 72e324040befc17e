// A lock in one word that spins briefly and then sleeps: the third mutex of Drepper, "Futexes are
// tricky", 2011, with a spin phase.
//
// States of the word: *free*; *held*; *contended*: held, and other threads may sleep.
//
// Invariants:
//  1. The thread that changes the word from free to another state holds the lock, until it sets the
//     word to free.
//  2. A thread goes to sleep only if the word is contended at that moment.
//  3. The thread that frees a contended lock wakes one sleeper. A thread that has slept, or was
//     about to sleep, acquires the lock as contended, because other threads may still sleep. So
//     each of them is woken in turn.
//
// Why no thread sleeps indefinitely. By invariant 2 the word was contended when the thread went to
// sleep. By invariants 1 and 3 it stays contended until some thread frees the lock and wakes one
// sleeper. That sleeper either acquires the lock as contended, or finds that another thread holds
// it, sets the word to contended and sleeps again. If no thread sleeps when a contended lock is
// freed, the wake-up is wasted: that is the price of using a single word.
//
// Progress: blocking and unfair. A running thread can acquire a free lock before the thread that
// was just woken. This keeps the lock fast with more threads than cores, where a lock with direct
// handoff waits for a thread that is not running. A thread spins only while no other thread sleeps;
// sleepers mean that the holder has had the lock for long.

import Primitives

/// A value behind a lock that spins briefly and then sleeps. Readers also exclude each other.
public struct AdaptiveLock<Value>: ValueLock, ~Copyable {
  // In a separate allocation, together on a cache line that holds nothing else.
  private let word: Futex.Word
  private let value: UnsafeMutablePointer<Value>

  private static var free: UInt32 { 0 }
  private static var held: UInt32 { 1 }
  private static var contended: UInt32 { 2 }

  /// The number of times that a thread checks a held lock before it sleeps, with growing pauses. 0
  /// under a managed scheduler, where otherwise no thread would ever sleep.
  private static var spins: Int { ManagedScheduler.isCompiledIn ? 0 : 7 }

  /// Creates a lock around `value`.
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

  /// Runs `body` with the value while the calling thread holds the lock.
  public borrowing func read<R, F: Error>(_ body: (borrowing Value) throws(F) -> R) throws(F) -> R {
    acquire()
    defer { release() }
    return try body(value.reading().pointee)
  }

  /// Runs `body` with the value while the calling thread holds the lock.
  public borrowing func write<R, F: Error>(_ body: (inout Value) throws(F) -> R) throws(F) -> R {
    acquire()
    defer { release() }
    return try body(&value.writing().pointee)
  }

  @inline(__always)
  private borrowing func acquire() {
    if !take() { acquireSlowly() }
  }

  /// Acquires the lock if it is free; returns whether it did.
  @inline(__always)
  private borrowing func take() -> Bool {
    // Acquiring: pairs with the `exchange` in `exchangeForFree`, so everything that earlier holders
    // did is visible here. On failure relaxed: the result is not used.
    return word.pointee.compareExchange(
      expected: Self.free, desired: Self.held, successOrdering: .acquiring,
      failureOrdering: .relaxed
    ).exchanged
  }

  @inline(never)
  private borrowing func acquireSlowly() {
    if spin() { return }
    CurrentThread.noteFailedCompareExchange()
    while !takeContended() {
      Futex.wait(on: word, while: Self.contended)
    }
  }

  /// Spins for about the duration of a short critical section; returns whether it acquired the
  /// lock.
  private borrowing func spin() -> Bool {
    for turn in 0..<Self.spins {
      for _ in 0..<1 << turn { spinHint() }
      // Relaxed: a first check; the compare-exchange in `take` decides.
      let now = word.pointee.load(ordering: .relaxed)
      if now == Self.free && take() { return true }
      if now == Self.contended { return false }
    }
    return false
  }

  /// Announces that a thread may sleep, and acquires the lock if it is free; returns whether it
  /// did.
  private borrowing func takeContended() -> Bool {
    // Acquiring: as in `take`. The announcement reaches the holder in time whatever the ordering:
    // this `exchange` and that in `exchangeForFree` change the same word, so one comes first.
    return word.pointee.exchange(Self.contended, ordering: .acquiring) == Self.free
  }

  @inline(__always)
  private borrowing func release() {
    if exchangeForFree() == Self.contended { Futex.wakeOne(on: word) }
  }

  @inline(__always)
  private borrowing func exchangeForFree() -> UInt32 {
    // Releasing: pairs with the acquiring operation of the thread that acquires the lock next.
    return word.pointee.exchange(Self.free, ordering: .releasing)
  }
}

// @unchecked: only the lock gives access to the value.
extension AdaptiveLock: @unchecked Sendable where Value: Sendable {}
