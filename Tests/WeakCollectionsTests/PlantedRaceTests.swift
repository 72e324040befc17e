import Primitives
import Testing
import Threading
import WeakCollections

/// ThreadSanitizer is told of the hand-over of a contended `Mutex`; that must not blind it to a race
/// beside the lock.
@Suite(.enabled(if: Sanitizer.isThreadSanitizer), .timeLimit(.minutes(10)))
struct PlantedRaceTests {
  /// A variable that nobody guards.
  // @unchecked: it is not, which is the point.
  private final class Unguarded: @unchecked Sendable {
    var value = 0
  }

  private static func use(_ dictionary: MutexDictionary<Int, Int>, _ plant: Unguarded?) async {
    _ = await onOwnThreads(4) { _ in
      for number in 0..<2000 {
        dictionary.update(number % 3) { $0 = ($0 ?? 0) + 1 }
        if let plant { plant.value += 1 }
      }
    }
  }

  @Test func `a race beside a contended mutex is reported`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await Self.use(MutexDictionary(), Unguarded())
    }
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(error.contains("race"))
    #expect(error.contains("ThreadSanitizer"))
  }

  @Test func `without the race there is no report`() async {
    await #expect(processExitsWith: .success) {
      await Self.use(MutexDictionary(), nil)
    }
  }
}
