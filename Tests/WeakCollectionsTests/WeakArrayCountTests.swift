import Synchronization
import Testing
import Threading
import WeakCollections

/// That a count, and a compaction, is of one moment, though it keeps no object alive while it asks the others.
@Suite(.timeLimit(.minutes(10))) struct WeakArrayCountTests {
  private static let living = 300

  @Test(arguments: Backend.supporting(.weakArray))
  func `an object that is there twice is counted twice or not at all`(
    _ backend: Backend
  ) async throws {
    try await Self.dropOne(of: backend) { array in
      await array.count
    } check: { counts in
      #expect(counts.dropLast().allSatisfy { $0 == Self.living + 2 })
      #expect(counts.last == Self.living)
    }
  }

  @Test(arguments: Backend.supporting(.weakArray))
  func `both entries of an object are compacted or none is`(_ backend: Backend) async throws {
    try await Self.dropOne(of: backend) { array in
      Self.living + 2 - (await array.compact())
    } check: { left in
      #expect(left.last == Self.living)
    }
  }

  /// Has an array asked how many there are, until there are fewer, while another thread lets go of an object
  /// that has the first entry and the last; so it is asked long before and long after.
  private static func dropOne(
    of backend: Backend, asking ask: @escaping @Sendable (AnyWeakArray<Counted>) async -> Int,
    check: ([Int]) -> Void
  ) async throws {
    let census = Census()
    let living = (0..<Self.living).map { Counted($0, in: census) }
    for _ in 0..<30 {
      let array = try await backend.weakArray(of: Counted.self)
      let last = LastReference(to: Counted(-1, in: census))
      await last.append(to: array)
      for element in living { await array.append(element) }
      await last.append(to: array)
      check(await answers(of: array, dropping: last, ask))
    }
    withExtendedLifetime(living) {}
  }

  private static func answers(
    of array: AnyWeakArray<Counted>, dropping last: LastReference,
    _ ask: @escaping @Sendable (AnyWeakArray<Counted>) async -> Int
  ) async -> [Int] {
    let isAsking = Gate()
    return await inOwnThreadTasks(2) { thread in
      if thread == 1 {
        isAsking.wait()
        last.drop()
        return []
      }
      var answers = [await ask(array)]
      isAsking.open()
      while answers.last == living + 2 { answers.append(await ask(array)) }
      return answers
    }[0]
  }

  /// The one reference that keeps an object alive.
  private final class LastReference: Sendable {
    private let object: Mutex<Counted?>

    init(to object: Counted) { self.object = Mutex(object) }

    func append(to array: AnyWeakArray<Counted>) async {
      let object = object.withLock { $0! }
      await array.append(object)
    }

    func drop() { object.withLock { $0 = nil } }
  }
}
