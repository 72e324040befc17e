import Primitives
import SeededTesting
import Testing
import Threading
import WeakCollections

/// A key that shares its hash with all others.
private struct Colliding: Hashable, Sendable {
  let number: Int
  func hash(into hasher: inout Hasher) {}
}

/// What every dictionary promises.
@Suite(.timeLimit(.minutes(10))) struct DictionaryContractTests {
  static let backends = Backend.supporting(.dictionary)

  @Test(arguments: backends)
  func `0.6 values are set, found, replaced and removed`(_ backend: Backend) async throws {
    let dictionary = try await backend.dictionary(from: String.self, to: Int.self)
    #expect(await dictionary.value(forKey: "a") == nil)
    await dictionary.setValue(1, forKey: "a")
    await dictionary.setValue(2, forKey: "b")
    await dictionary.setValue(3, forKey: "a")
    #expect(await dictionary.value(forKey: "a") == 3)
    #expect(await dictionary.count == 2)
    #expect(await dictionary.snapshot == ["a": 3, "b": 2])
    #expect(await dictionary.removeValue(forKey: "a") == 3)
    #expect(await dictionary.removeValue(forKey: "a") == nil)
    #expect(await dictionary.snapshot == ["b": 2])
    await dictionary.removeAll()
    #expect(await dictionary.count == 0)
    #expect(await dictionary.snapshot == [:])
  }

  @Test(arguments: backends)
  func `a dictionary does what a standard one does`(_ backend: Backend) async throws {
    let dictionary = try await backend.dictionary(from: Int.self, to: Int.self)
    try await compare(dictionary, key: { $0 })
  }

  @Test(arguments: backends)
  func `keys whose hashes collide are told apart`(_ backend: Backend) async throws {
    let dictionary = try await backend.dictionary(from: Colliding.self, to: Int.self)
    try await compare(dictionary, key: { Colliding(number: $0 % 13) })
  }

  /// Does at random the same to `dictionary` and to a standard one; grows to hundreds of keys and
  /// shrinks.
  private func compare<Key: Hashable & Sendable>(
    _ dictionary: AnyDictionary<Key, Int>, key: (Int) -> Key
  ) async throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    var model: [Key: Int] = [:]
    for round in 0..<4000 {
      let isGrowing = round / 1000 % 2 == 0
      let key = key(Int.random(in: 0..<600, using: &generator))
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4 where isGrowing:
        await dictionary.setValue(round, forKey: key)
        model[key] = round
      case 0..<6:
        #expect(await dictionary.removeValue(forKey: key) == model.removeValue(forKey: key))
      case 6:
        let value = await dictionary.value(forKey: key, orInsert: { round })
        #expect(value == model[key, default: round])
        model[key] = value
      case 7:
        await dictionary.update(key) { $0 = ($0 ?? 0) + 1 }
        model[key, default: 0] += 1
      case 8:
        await dictionary.update(key) { $0 = nil }
        model[key] = nil
      default:
        #expect(await dictionary.value(forKey: key) == model[key])
      }
      #expect(await dictionary.count == model.count, "seed \(TestOptions.seed)")
    }
    #expect(await dictionary.snapshot == model, "seed \(TestOptions.seed)")
    await dictionary.removeAll()
    #expect(await dictionary.count == 0)
  }

  @Test(arguments: backends)
  func `forEach visits each key once and rethrows what its body throws`(
    _ backend: Backend
  ) async throws {
    struct Stop: Error, Equatable {}
    let dictionary = try await backend.dictionary(from: Int.self, to: Int.self)
    for number in 0..<100 { await dictionary.setValue(-number, forKey: number) }
    var visited: [Int: Int] = [:]
    await dictionary.forEach { key, value in visited[key, default: 0] += value }
    #expect(visited == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, -$0) }))
    var visits = 0
    do throws(Stop) {
      try await dictionary.forEach { _, _ throws(Stop) in
        visits += 1
        throw Stop()
      }
      Issue.record("nothing was thrown")
    } catch {
      #expect(error == Stop())
    }
    #expect(visits == 1)
  }

  @Test(arguments: backends)
  func `update changes in one step, removes, and returns`(_ backend: Backend) async throws {
    let dictionary = try await backend.dictionary(from: String.self, to: Int.self)
    let wasAbsent = await dictionary.update("a") { value in
      defer { value = 1 }
      return value == nil
    }
    #expect(wasAbsent)
    let old = await dictionary.update("a") { value in
      defer { value? += 1 }
      return value
    }
    #expect(old == 1)
    #expect(await dictionary.value(forKey: "a") == 2)
    await dictionary.update("a") { $0 = nil }
    #expect(await dictionary.value(forKey: "a") == nil)
    await dictionary.update("a") { $0 = nil }
    #expect(await dictionary.count == 0)
  }

  @Test(arguments: backends)
  func `an update that throws changes nothing`(_ backend: Backend) async throws {
    struct Refusal: Error, Equatable {}
    let dictionary = try await backend.dictionary(from: String.self, to: Int.self)
    await dictionary.setValue(1, forKey: "present")
    for key in ["present", "absent"] {
      do throws(Refusal) {
        try await dictionary.update(key) { value throws(Refusal) in
          value = 2
          throw Refusal()
        }
        Issue.record("nothing was thrown")
      } catch {
        #expect(error == Refusal())
      }
    }
    #expect(await dictionary.snapshot == ["present": 1])
    #expect(await dictionary.count == 1)
    await dictionary.setValue(3, forKey: "absent")
    #expect(await dictionary.snapshot == ["present": 1, "absent": 3])
  }

  @Test(arguments: backends)
  func `0.e updates by eight threads run once each and lose nothing`(_ backend: Backend)
    async throws
  {
    let dictionary = try await backend.dictionary(from: Int.self, to: Int.self)
    let runs = Count()
    _ = await inOwnThreadTasks(8) { _ in
      for number in 0..<1000 {
        await dictionary.update(number % 3) { value in
          runs.add()
          value = (value ?? 0) + 1
        }
      }
    }
    #expect(await dictionary.snapshot == [0: 8 * 334, 1: 8 * 333, 2: 8 * 333])
    #expect(runs.total == 8000)
  }

  @Test(arguments: backends)
  func `0.6 get-or-insert by eight threads has one winner, whom all get`(
    _ backend: Backend
  ) async throws {
    let lifetimes = LifetimeCounter()
    let dictionary = try await backend.dictionary(from: Int.self, to: Counted.self)
    let keys = 0..<100
    let gotten = await inOwnThreadTasks(8) { thread in
      var gotten: [Counted] = []
      for key in keys {
        gotten.append(
          await dictionary.value(forKey: key, orInsert: { Counted(thread, in: lifetimes) }))
      }
      return gotten
    }
    let winners = await dictionary.snapshot
    for key in keys {
      #expect(gotten.allSatisfy { $0[key] === winners[key] })
    }
    // The losers are gone; nothing replaced a winner.
    #expect(lifetimes.live == keys.count)
    #expect(await dictionary.count == keys.count)
    withExtendedLifetime(gotten) {}
  }

  @Test(arguments: backends)
  func `get-or-insert does not ask for a default when there is a value`(
    _ backend: Backend
  ) async throws {
    let dictionary = try await backend.dictionary(from: Int.self, to: Int.self)
    await dictionary.setValue(1, forKey: 1)
    let asked = Count()
    let value = await dictionary.value(
      forKey: 1,
      orInsert: {
        asked.add()
        return 2
      })
    #expect(value == 1)
    #expect(asked.total == 0)
  }

  @Test(arguments: Backend.synchronous(.dictionary))
  func `a default may use the dictionary`(_ backend: Backend) async throws {
    let dictionary = try await backend.synchronousDictionary(from: Int.self, to: Int.self)
    let value = await onOwnThread {
      dictionary.value(
        forKey: 1,
        orInsert: {
          dictionary.setValue(10, forKey: 2)
          dictionary.update(2) { $0? += 1 }
          return dictionary.value(forKey: 3, orInsert: { 7 })
        })
    }
    #expect(value == 7)
    #expect(dictionary.snapshot == [1: 7, 2: 11, 3: 7])
  }

  @Test(arguments: backends)
  func `a snapshot has what is present throughout, not what is absent throughout, and no key twice`(
    _ backend: Backend
  ) async throws {
    let dictionary = try await backend.dictionary(from: Int.self, to: Int.self)
    let present = 0..<50
    let absent = 1_000_000
    for key in present { await dictionary.setValue(key, forKey: key) }
    let wrong = await inOwnThreadTasks(4) { thread in
      var wrong = 0
      for round in 0..<150 {
        if thread == 0 {
          // Grows and shrinks the table between the snapshots.
          for key in 100..<300 { await dictionary.setValue(round, forKey: key) }
          for key in 100..<300 { await dictionary.removeValue(forKey: key) }
        } else {
          // Building the snapshot traps when a key comes twice.
          let snapshot = await dictionary.snapshot
          if !present.allSatisfy({ snapshot[$0] == $0 }) || snapshot[absent] != nil { wrong += 1 }
        }
      }
      return wrong
    }
    #expect(wrong == [0, 0, 0, 0])
    #expect(await dictionary.count == 50)
  }

  @Test(arguments: Backend.synchronous(.dictionary))
  func `0.6 subscripts get, set, remove and insert a default`(_ backend: Backend) async throws {
    useSubscripts(of: try await backend.synchronousDictionary(from: String.self, to: Int.self))
  }

  private func useSubscripts<D: SynchronousDictionary<String, Int>>(of dictionary: D) {
    dictionary["a"] = 1
    #expect(dictionary["a"] == 1)
    #expect(dictionary["b"] == nil)
    #expect(dictionary["b", default: 2] == 2)
    #expect(dictionary["b", default: 3] == 2)
    dictionary["a"] = nil
    #expect(dictionary.snapshot == ["b": 2])
    #expect(dictionary.count == 1)
  }

  @Test(arguments: Backend.synchronous(.dictionary))
  func `0.g the body of forEach may use the dictionary`(_ backend: Backend) async throws {
    visitAndChange(try await backend.synchronousDictionary(from: Int.self, to: Int.self))
  }

  private func visitAndChange<D: SynchronousDictionary<Int, Int>>(_ dictionary: D) {
    for key in 0..<20 { dictionary[key] = key }
    dictionary.forEach { key, _ in
      dictionary[key] = nil
      dictionary[key + 100] = key
      dictionary.update(key + 100) { $0? += 1 }
    }
    #expect(dictionary.snapshot.keys.sorted() == Array(100..<120))
    #expect(dictionary[100] == 1)
  }
}

/// A counter that many threads raise.
final class Count: Sendable {
  private let value = Atomic<Int>(0)

  // Relaxed, both: through it nothing else is read.
  func add() { value.wrappingAdd(1, ordering: .relaxed) }
  var total: Int { value.load(ordering: .relaxed) }
}

/// A weak set of identical objects, made of what there is: a dictionary from identity to weak
/// reference.
///
/// A dead object's identity may come back as another's; the entry is then replaced, in one step.
private struct IdentitySet {
  let references: AnyDictionary<ObjectIdentifier, WeakReference<Pupil>>

  func insert(_ pupil: Pupil) async {
    await references.update(ObjectIdentifier(pupil)) { reference in
      if reference?.refers(to: pupil) != true { reference = WeakReference(pupil) }
    }
  }

  var liveCount: Int {
    get async { await references.snapshot.values.count { $0.promote() != nil } }
  }
}

private final class Pupil: Sendable {}

@Suite struct IdentitySetTests {
  @Test(arguments: Backend.supporting(.dictionary))
  func `0.4 an identity weak set adds once and counts the living`(_ backend: Backend) async throws {
    let set = IdentitySet(
      references: try await backend.dictionary(
        from: ObjectIdentifier.self, to: WeakReference<Pupil>.self))
    var pupils = (0..<100).map { _ in Pupil() }
    for _ in 0..<3 {
      for pupil in pupils { await set.insert(pupil) }
    }
    #expect(await set.liveCount == 100)
    pupils.removeLast(60)
    #expect(await set.liveCount == 40)
    let others = (0..<60).map { _ in Pupil() }  // Most likely where the dead ones were.
    for pupil in others { await set.insert(pupil) }
    #expect(await set.liveCount == 100)
    withExtendedLifetime((pupils, others)) {}
  }
}
