#if InternalChecks
  import EpochReclamation
  import Primitives
  import Testing
  import Threading
  import WeakCollections

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
