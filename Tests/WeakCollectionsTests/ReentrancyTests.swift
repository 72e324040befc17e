import EpochReclamation
import Primitives
import SeededTesting
import Testing
import Threading
import WeakCollections

/// A `deinit` that uses the collection neither deadlocks nor corrupts it, however the last
/// reference goes.
///
/// All on threads that the test owns: a deadlock would otherwise take a cooperative thread with it.
/// The actors are left out, for a `deinit` cannot wait for them.
@Suite(.timeLimit(.minutes(10))) struct ReentrancyTests {
  /// A key whose end is noticed. Keys of one number are equal.
  private final class NoticedKey: Hashable, Sendable {
    let number: Int
    private let end: Dying?

    init(_ number: Int, _ lastWords: (@Sendable () -> Void)? = nil) {
      self.number = number
      end = lastWords.map { Dying($0) }
    }

    static func == (one: NoticedKey, other: NoticedKey) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  /// How a value, or a key, goes.
  enum Way: String, CaseIterable {
    case removed, replaced, lost, updated, updatedAway, updatedInVain, allRemoved, setToNil
  }

  private struct Refusal: Error {}

  private static func drop<D: SynchronousDictionary<NoticedKey, Dying> & Sendable>(
    from dictionary: D, _ way: Way, key: NoticedKey, value: Dying
  ) {
    // The keys that operations are asked with are others than the one that is stored.
    let asked = NoticedKey(key.number)
    if way == .lost {
      dictionary.setValue(Dying {}, forKey: key)
      _ = dictionary.value(forKey: asked, orInsert: { value })
      dictionary.removeValue(forKey: asked)
      return
    }
    if way != .updatedInVain { dictionary.setValue(value, forKey: key) }
    switch way {
    case .removed: dictionary.removeValue(forKey: asked)
    case .replaced:
      dictionary.setValue(Dying {}, forKey: asked)
      dictionary.removeValue(forKey: asked)
    case .lost: break
    case .updated:
      dictionary.update(asked) { $0 = Dying {} }
      dictionary.removeValue(forKey: asked)
    case .updatedAway: dictionary.update(asked) { $0 = nil }
    case .updatedInVain:
      dictionary.setValue(Dying {}, forKey: key)
      try? dictionary.update(asked) { present throws(Refusal) in
        present = value
        throw Refusal()
      }
      dictionary.removeValue(forKey: asked)
    case .allRemoved: dictionary.removeAll()
    case .setToNil: dictionary[asked] = nil
    }
  }

  @Test(arguments: Backend.synchronous(.dictionary), Way.allCases)
  func `0.r the deinit of a value or a key may use the dictionary`(
    _ backend: Backend, _ way: Way
  ) async throws {
    let dictionary = try await backend.synchronousDictionary(
      from: NoticedKey.self, to: Dying.self)
    let ends = Count()
    @Sendable func useDictionary<D: SynchronousDictionary<NoticedKey, Dying> & Sendable>(
      _ dictionary: D, _ number: Int
    ) {
      let key = NoticedKey(number)
      dictionary.setValue(Dying {}, forKey: key)
      dictionary.update(key) { $0 = Dying {} }
      _ = dictionary.value(forKey: NoticedKey(-1), orInsert: { Dying {} })
      _ = dictionary.count + dictionary.snapshot.count
      dictionary.removeValue(forKey: key)
      ends.add()
    }
    await onOwnThread {
      for number in 0..<50 {
        Self.drop(
          from: dictionary, way,
          key: NoticedKey(number) { useDictionary(dictionary, 1000 + number) },
          value: Dying { useDictionary(dictionary, 2000 + number) })
      }
    }
    if backend.reclaimsByEpoch { await reclaimShared { ends.total == 100 } }
    #expect(ends.total == 100)
    await onOwnThread { dictionary.removeAll() }
    let left = await onOwnThread { dictionary.count }
    #expect(left == 0)
  }

  @Test(arguments: Backend.synchronous(.dictionary))
  func `a value replaced inside update lives until after the body`(_ backend: Backend) async throws
  {
    let dictionary = try await backend.synchronousDictionary(from: Int.self, to: Counted.self)
    let lifetimes = LifetimeCounter()
    let (inside, after) = await onOwnThread {
      dictionary.setValue(Counted(1, in: lifetimes), forKey: 1)
      let inside = dictionary.update(1) { value in
        value = nil
        return lifetimes.live
      }
      if backend.reclaimsByEpoch { while lifetimes.live > 0 { EpochDomain.shared.advance() } }
      return (inside, lifetimes.live)
    }
    #expect(inside == 1)
    #expect(after == 0)
  }

  @Test func `values die outside claims when updates and replacements contend`() async {
    let ends = Count()
    let created = Count()
    await onOwnThread {
      let domain = EpochDomain(bagCapacity: 1)
      let dictionary = LockFreeDictionary<Int, Dying>(domain: domain)
      @Sendable func make() -> Dying {
        created.add()
        return Dying {
          // Writing inside a claim traps.
          dictionary.setValue(Dying {}, forKey: 1)
          ends.add()
        }
      }
      let operations = TestOptions.operations(standard: 20_000)
      let threads = (0..<4).map { thread in
        OwnedThread {
          for _ in 0..<operations {
            if thread < 2 {
              dictionary.update(0) { $0 = make() }
            } else {
              dictionary.setValue(make(), forKey: 0)
            }
          }
        }
      }
      for thread in threads { thread.join() }
      dictionary.removeAll()
      // What is retired refers to the dictionary, and so to the domain: it must be reclaimed while
      // somebody uses that.
      while domain.telemetry.backlog > 0 { domain.advance() }
    }
    #expect(ends.total == created.total)
  }

  @Test(arguments: Backend.synchronous(.weakArray))
  func `the deinit of an element may use the array`(_ backend: Backend) async throws {
    let array = try await backend.synchronousWeakArray(of: Dying.self)
    let ends = Count()
    let kept = Dying {}
    @Sendable func useArray<A: SynchronousWeakArray<Dying> & Sendable>(_ array: A) {
      array.append(kept)
      array.remove(kept)
      _ = array.all.count + array.entryCount
      array.compact()
      ends.add()
    }
    await onOwnThread {
      for _ in 0..<200 {
        let element = Dying { useArray(array) }
        array.append(element)
        array.append(element)
        array.forEach { _ in }
        array.remove(element)
        array.compact()
      }
    }
    #expect(ends.total == 200)
    let left = await onOwnThread { array.count }
    #expect(left == 0)
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: Backend.synchronous(.weakSet))
  func `the deinit of a set's element may use the set`(_ backend: Backend) async throws {
    let set = try await backend.synchronousWeakSet(of: Dying.self)
    let ends = Count()
    let kept = Dying {}
    let rounds = TestOptions.operations(standard: 20_000) / 10
    @Sendable func work<S: SynchronousWeakSet<Dying> & Sendable>(_ set: S, _ thread: Int) {
      for _ in 0..<rounds {
        switch thread {
        case 0, 1:
          set.insert(
            Dying {
              set.insert(kept)
              set.remove(kept)
              set.compact()
              ends.add()
            })
        case 2: _ = set.compact()
        default: _ = set.all.count + set.entryCount
        }
      }
    }
    _ = await onOwnThreads(4) { work(set, $0) }
    #expect(ends.total == 2 * rounds)
    let left = await onOwnThread { set.compact() + set.count }
    #expect(left <= 64)
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: Backend.synchronous(.weakArray))
  func `an element whose last reference a compaction or a snapshot holds dies outside`(
    _ backend: Backend
  ) async throws {
    let array = try await backend.synchronousWeakArray(of: Dying.self)
    let ends = Count()
    let rounds = TestOptions.operations(standard: 20_000) / 10
    @Sendable func work<A: SynchronousWeakArray<Dying> & Sendable>(_ array: A, _ thread: Int) {
      for round in 0..<rounds {
        switch thread {
        case 0, 1:
          array.append(
            Dying {
              _ = array.entryCount
              array.compact()
              ends.add()
            })
        case 2: _ = array.compact()
        default: if round.isMultiple(of: 2) { _ = array.all } else { _ = array.count }
        }
      }
    }
    _ = await onOwnThreads(4) { work(array, $0) }
    #expect(ends.total == 2 * rounds)
    let left = await onOwnThread { array.compact() + array.entryCount }
    #expect(left <= 64)
  }
}
