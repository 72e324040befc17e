import Interleaving
import Testing

/// The drop-in types, in a build with the scheduler and in one without.
struct DropInTests {
  private final class Shared: Sendable {
    let number = Atomic(0)
    let flag = Atomic(false)
    let list = Mutex<[Int]>([])
    let changed = ConditionVariable()
    let semaphore = Semaphore(1)
    let lazy = AtomicLazyReference<Boxed>()
  }

  private final class Boxed: Sendable {
    let value: Int
    init(_ value: Int) { self.value = value }
  }

  @Test func `atomics have the operations of the standard library`() {
    let number = Atomic<UInt8>(6)
    #expect(number.wrappingAdd(250, ordering: .relaxed).newValue == 0)
    #expect(number.wrappingSubtract(1, ordering: .acquiring).newValue == 255)
    #expect(number.bitwiseAnd(0x0f, ordering: .releasing).newValue == 15)
    #expect(number.bitwiseOr(0x10, ordering: .acquiringAndReleasing).newValue == 31)
    #expect(number.bitwiseXor(1, ordering: .sequentiallyConsistent).newValue == 30)
    #expect(number.min(7, ordering: .relaxed) == (30, 7))
    #expect(number.max(9, ordering: .relaxed) == (7, 9))
    #expect(number.add(1, ordering: .relaxed).newValue == 10)
    #expect(number.subtract(2, ordering: .relaxed).newValue == 8)
    #expect(number.exchange(3, ordering: .relaxed) == 8)
    #expect(number.compareExchange(expected: 4, desired: 5, ordering: .relaxed) == (false, 3))
    #expect(
      number.compareExchange(
        expected: 3, desired: 5, successOrdering: .acquiring, failureOrdering: .relaxed)
        == (true, 3))
    while !number.weakCompareExchange(expected: 5, desired: 6, ordering: .relaxed).exchanged {}
    #expect(number.load(ordering: .relaxed) == 6)
    let flag = Atomic(true)
    #expect(flag.logicalAnd(false, ordering: .relaxed) == (true, false))
    #expect(flag.logicalOr(true, ordering: .relaxed) == (false, true))
    #expect(flag.logicalXor(true, ordering: .relaxed) == (true, false))
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  private enum State: UInt8, AtomicRepresentable { case idle, running }

  @Test func `an enumeration and a pointer can be atomic`() {
    let state = Atomic(State.idle)
    #expect(state.exchange(.running, ordering: .relaxed) == .idle)
    #expect(state.load(ordering: .relaxed) == .running)
    let pointer = Atomic<UnsafeMutablePointer<Int>?>(nil)
    #expect(pointer.load(ordering: .relaxed) == nil)
  }

  private struct Handle: ~Copyable {
    var number: Int
  }

  @Test func `a mutex has a value that need not be copyable`() {
    let mutex = Mutex(Handle(number: 1))
    mutex.withLock { $0.number += 1 }
    #expect(mutex.withLock { $0.number } == 2)
    #expect(mutex.withLockIfAvailable { $0.number } == 2)
  }

  @Test func `a mutex that another thread has is not available`() {
    let shared = Shared()
    shared.list.withLock { _ in
      let thread = spawn {
        let isFree = shared.list.withLockIfAvailable { _ in true } ?? false
        shared.flag.store(isFree, ordering: .relaxed)
      }
      thread.join()
    }
    #expect(shared.flag.load(ordering: .relaxed) == false)
    #expect(shared.list.withLockIfAvailable { _ in true } == true)
  }

  @Test func `a condition variable and a semaphore pass what threads wait for`() {
    let items = Mutex<[Int]>([])
    let changed = ConditionVariable()

    func put(_ item: Int) {
      items.withLock { $0.append(item) }
      changed.broadcast()
    }

    func take() -> Int {
      changed.wait(for: items) { items in items.isEmpty ? nil : items.removeFirst() }
    }

    put(1)
    #expect(take() == 1)

    let shared = Shared()
    let taker = spawn {
      let item = shared.changed.wait(for: shared.list) { $0.isEmpty ? nil : $0.removeFirst() }
      shared.number.store(item, ordering: .relaxed)
      shared.semaphore.wait()
      shared.semaphore.wait()
    }
    shared.list.withLock { $0.append(7) }
    shared.changed.broadcast()
    shared.semaphore.signal()
    taker.join()
    #expect(shared.number.load(ordering: .relaxed) == 7)
    #expect(shared.semaphore.waitIfAvailable() == false)
    shared.semaphore.signal()
    #expect(shared.semaphore.waitIfAvailable() == true)
  }

  @Test func `a lazy reference keeps the first instance`() {
    let shared = Shared()
    #expect(shared.lazy.load() == nil)
    #expect(shared.lazy.storeIfNil(Boxed(1)).value == 1)
    #expect(shared.lazy.storeIfNil(Boxed(2)).value == 1)
    #expect(shared.lazy.load()?.value == 1)
  }

  @Test func `a spawned thread has done everything when it is joined`() {
    final class Count: Sendable { let counter = Atomic(0) }
    let count = Count()
    let thread = spawn { count.counter.wrappingAdd(1, ordering: .relaxed) }
    thread.join()
    #expect(count.counter.load(ordering: .relaxed) == 1)
  }
}
