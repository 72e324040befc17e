import EpochReclamation
import Primitives
import Testing
import Threading
import WeakCollections

#if InternalChecks
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// One thread is halted in the middle of an operation; whether the others get on tells lock-free from
  /// locked.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct LockFreedomTests {
    /// Operations of all the other threads together.
    private static let operations = 100_000
    private static let others = 7

    @Test func `an append halted between two atomics stops nobody`() async {
      let array = LockFreeWeakArray<Counted>(domain: EpochDomain())
      let done = await operate(halting: .betweenAtomics, patience: .seconds(120)) {
        array.append($0)
      }
      #expect(done == Self.operations)
    }

    @Test func `a set halted between two atomics stops nobody`() async {
      let dictionary = LockFreeDictionary<Int, Counted>(domain: EpochDomain())
      let done = await operate(halting: .betweenAtomics, patience: .seconds(120)) {
        dictionary.setValue($0, forKey: $0.number % 100)
      }
      #expect(done == Self.operations)
    }

    @Test func `an append halted under the mutex stops everybody`() async {
      let array = MutexWeakArray<Counted>()
      let done = await operate(halting: .underLock, patience: .seconds(2)) { array.append($0) }
      #expect(done == 0)
    }

    @Test func `a set halted under the mutex stops everybody`() async {
      let dictionary = MutexDictionary<Int, Counted>()
      let done = await operate(halting: .underLock, patience: .seconds(2)) {
        dictionary.setValue($0, forKey: $0.number % 100)
      }
      #expect(done == 0)
    }

    /// Halts one thread in `operation`, and returns how many operations seven others finish meanwhile:
    /// all, or as many as until nothing has moved for as long as `patience`: long where all are to get on,
    /// since a busy machine may leave none of them a processor for seconds.
    private func operate(
      halting point: HaltPoint, patience: Duration,
      _ operation: @escaping @Sendable (Counted) -> Void
    ) async -> Int {
      await onOwnThread {
        let census = Census()
        let halt = HaltedThread(at: point) { operation(Counted(in: census)) }
        let progress = Progress()
        let threads = (0..<Self.others).map { thread in
          OwnedThread {
            while let number = progress.next(below: Self.operations) {
              operation(Counted(number, in: census))
              progress.finishOne()
            }
          }
        }
        let done = progress.awaitAll(Self.operations, patience: patience)
        progress.stop()
        halt.release()
        for thread in threads { thread.join() }
        return done
      }
    }
  }

  /// A thread that stops at its first halt point until it is released.
  private final class HaltedThread: Sendable {
    private let mayContinue = Gate()
    private let thread: OwnedThread

    /// Returns once the thread is halted.
    init(at point: HaltPoint, _ body: @escaping @Sendable () -> Void) {
      let isHalted = Gate()
      let halted = Victim()
      HaltPoint.setHook { [mayContinue] reached in
        guard reached == point, halted.isThisThread else { return }
        isHalted.open()
        mayContinue.wait()
      }
      thread = OwnedThread {
        halted.becomeThisThread()
        body()
      }
      isHalted.wait()
    }

    func release() {
      HaltPoint.setHook(nil)
      mayContinue.open()
      thread.join()
    }
  }

  /// The thread that is to be halted.
  private final class Victim: Sendable {
    private let number = Atomic<UInt64>(0)

    // Relaxed, both: a thread that finds its own number has written it.
    func becomeThisThread() { number.store(CurrentThread.number, ordering: .relaxed) }
    var isThisThread: Bool { number.load(ordering: .relaxed) == CurrentThread.number }
  }

  /// Hands out operations and counts those that have ended.
  private final class Progress: Sendable {
    private let begun = Atomic<Int>(0)
    private let ended = Atomic<Int>(0)

    // Relaxed, all: counts, through which nothing else is read.
    func next(below limit: Int) -> Int? {
      let number = begun.wrappingAdd(1, ordering: .relaxed).oldValue
      return number < limit ? number : nil
    }

    /// Hands out no more.
    func stop() { begun.store(.max / 2, ordering: .relaxed) }

    func finishOne() { ended.wrappingAdd(1, ordering: .relaxed) }

    /// Returns how many have ended, once all have, or none did for as long as `patience`.
    func awaitAll(_ count: Int, patience: Duration) -> Int {
      let clock = ContinuousClock()
      var done = ended.load(ordering: .relaxed)
      var changed = clock.now
      while done < count && clock.now - changed < patience {
        usleep(1000)  // Whoever is awaited needs the processor.
        let now = ended.load(ordering: .relaxed)
        if now != done { changed = clock.now }
        done = now
      }
      return done
    }
  }
#endif

/// What a reader that stays pinned costs the lock-free collections, and that it is told and ends.
struct PinnedReaderTests {
  /// What a domain and the values of a collection look like.
  private struct Look: Sendable {
    let telemetry: EpochTelemetry
    let live: Int

    init(_ domain: EpochDomain, _ census: Census) {
      telemetry = domain.telemetry
      live = census.live
    }
  }

  private static let writes = 2000

  @Test func `a dictionary keeps exactly the values replaced since, names the reader, and lets go`()
    async
  {
    let (number, stalled, after) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 64)
      let census = Census()
      let dictionary = LockFreeDictionary<Int, Counted>(domain: domain)
      dictionary.setValue(Counted(in: census), forKey: 1)
      domain.advance()
      let reader = Occupant { stay in domain.pin { stay() } }
      for number in 0..<Self.writes {
        dictionary.setValue(Counted(number, in: census), forKey: 1)
      }
      domain.advance()
      let stalled = Look(domain, census)
      reader.leave()
      domain.advance()
      let after = Look(domain, census)
      reader.end()
      dictionary.removeAll()
      return (reader.threadNumber, stalled, after)
    }
    // One node for each value replaced, and the value that is there.
    #expect(stalled.telemetry.backlog == Self.writes)
    #expect(stalled.live == Self.writes + 1)
    expectRelease(after, stalled, by: number)
    #expect(after.live == after.telemetry.backlog + 1)
  }

  @Test func `a weak array keeps exactly what it retired since, names the reader, and lets go`()
    async
  {
    let (number, pinned, stalled, after) = await onOwnThread {
      let domain = EpochDomain(bagCapacity: 64)
      let census = Census()
      let array = LockFreeWeakArray<Counted>(domain: domain)
      let elements = (0..<Self.writes).map { Counted($0, in: census) }
      for element in elements { array.append(element) }
      domain.advance()
      let reader = Occupant { stay in domain.pin { stay() } }
      let pinned = Look(domain, census)
      for element in elements { array.remove(element) }
      domain.advance()
      let stalled = Look(domain, census)
      reader.leave()
      domain.advance()
      let after = Look(domain, census)
      reader.end()
      return (reader.threadNumber, pinned, stalled, after)
    }
    #expect(pinned.telemetry.backlog == 0)
    #expect(stalled.telemetry.reclaimed == pinned.telemetry.reclaimed)
    let retiredSince = stalled.telemetry.retired - pinned.telemetry.retired
    #expect(stalled.telemetry.backlog == retiredSince)
    #expect(retiredSince >= Self.writes)
    expectRelease(after, stalled, by: number)
  }

  /// Named while it was pinned; gone, and the backlog with it, after one advance.
  private func expectRelease(_ after: Look, _ stalled: Look, by number: UInt64) {
    #expect(stalled.telemetry.blockedBy == number)
    #expect(stalled.telemetry.pins.map(\.threadNumber) == [number])
    #expect(after.telemetry.blockedBy == nil)
    #expect(after.telemetry.pins == [])
    let bound = after.telemetry.participants * 64
    #expect(after.telemetry.participants == 2)
    #expect(after.telemetry.backlog <= bound)
  }
}
