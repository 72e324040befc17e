import Primitives
import SeededTesting
import Testing
import Threading
import WeakCollections

#if canImport(Glibc)
  import Glibc
#endif

/// What every weak set promises of its dead entries to those who want but some of them gone.
@Suite(.timeLimit(.minutes(10))) struct WeakSetSweepingTests {
  static let backends = Backend.supporting(.weakSet)

  /// So many that no write purges, and that none sweeps all of them by the way.
  private static let count = 400

  @Test(arguments: backends)
  func `compact of some stops when they are gone`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let census = Census()
    var elements: [Counted?] = (0..<Self.count).map { Counted($0, in: census) }
    for element in elements { await set.insert(element!) }
    #expect(await set.compact(atLeast: 1) == 0)
    for index in stride(from: 0, to: Self.count, by: 2) { elements[index] = nil }
    #expect(await set.compact(atLeast: 0) == 0)
    let first = await set.compact(atLeast: 1)
    // A lock-free set takes its cells by the piece.
    #expect(first >= 1 && first <= 32)
    #expect(await set.entryCount == Self.count - first)
    #expect(await set.compact(atLeast: Self.count) == Self.count / 2 - first)
    #expect(await set.all.map(\.number).sorted() == elements.compactMap { $0?.number })
    #expect(await set.compact(atLeast: 1) == 0)
  }

  @Test(arguments: backends)
  func `compact of some finds a dead entry wherever it is`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let census = Census()
    var generator = SeededGenerator(seed: TestOptions.seed)
    var elements = (0..<100).map { Counted($0, in: census) }
    for element in elements { await set.insert(element) }
    for number in 100..<1100 {
      elements[Int.random(in: 0..<100, using: &generator)] = Counted(number, in: census)
      // A search that goes on where others stopped, and meets what moved meanwhile.
      if number.isMultiple(of: 3) {
        let gone = elements.remove(at: Int.random(in: 0..<99, using: &generator))
        await set.remove(gone)
        elements.insert(gone, at: 0)
      }
      for element in elements { await set.insert(element) }
      _ = await set.compact(atLeast: 1)
      #expect(await set.entryCount == 100, "seed \(TestOptions.seed)")
    }
  }

  @Test(arguments: backends)
  func `all living are counted, dead ones are not`(_ backend: Backend) async throws {
    let set = try await backend.weakSet(of: Counted.self)
    let census = Census()
    var elements: [Counted?] = (0..<Self.count).map { Counted($0, in: census) }
    for element in elements { await set.insert(element!) }
    #expect(await set.count == Self.count)
    for index in stride(from: 0, to: Self.count, by: 4) { elements[index] = nil }
    #expect(await set.count == Self.count / 4 * 3)
    await set.removeAll()
    #expect(await set.count == 0)
    withExtendedLifetime(elements) {}
  }

  #if os(Linux) && !WeakBoxes
    /// While threads replace their objects, one for one, no count may say more than there ever are. With weak boxes
    /// there may be more: to ask an object whether it lives keeps it alive until the asking thread lets go of it.
    @Test(arguments: backends)
    func `a count is never of objects that did not live at once`(_ backend: Backend) async throws {
      let set = try await backend.weakSet(of: Counted.self)
      let census = Census()
      let threads = 4
      let rounds = TestOptions.operations(standard: 2000)
      let counts = await inOwnThreadTasks(threads) { thread in
        guard thread > 0 else {
          var most = 0
          for _ in 0..<rounds { most = max(most, await set.count) }
          return most
        }
        for number in 0..<rounds {
          // It dies before the next is made.
          await set.insert(Counted(number, in: census))
        }
        return 0
      }
      #expect(counts[0] <= threads - 1)
    }

    /// To ask whether an object lives keeps it alive nowhere, so that no `deinit` changes its thread.
    @Test(arguments: Backend.synchronous(.weakSet))
    func `an object dies on the thread that lets go of it, whoever asks for it`(
      _ backend: Backend
    ) async throws {
      releaseAndAsk(try await backend.synchronousWeakSet(of: Homebody.self))
    }

    private func releaseAndAsk(_ set: AnySynchronousWeakSet<Homebody>) {
      let strays = Strays()
      let rounds = TestOptions.operations(standard: 2000)
      _ = joinOwnThreads(4) { thread in
        for _ in 0..<rounds {
          if thread.isMultiple(of: 2) {
            set.insert(Homebody(strays))
          } else {
            _ = set.count
            set.compact(atLeast: 1)
          }
        }
      }
      // Relaxed: the threads were joined.
      #expect(strays.count.load(ordering: .relaxed) == 0)
    }
  #endif
}

#if os(Linux) && !WeakBoxes
  /// How many objects have died elsewhere than where they were made.
  private final class Strays: Sendable {
    let count = Atomic<Int>(0)
  }

  /// An object that is to die on the thread that made it.
  private final class Homebody: Sendable {
    private let home = pthread_self()
    private let strays: Strays

    init(_ strays: Strays) {
      self.strays = strays
    }

    deinit {
      // Relaxed: a count, read when the threads have ended.
      if pthread_self() != home { strays.count.wrappingAdd(1, ordering: .relaxed) }
    }
  }
#endif
