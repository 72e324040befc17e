import Testing
import Threading
import WeakCollections

/// Arrays without capacity share one storage in the whole process. Taking an empty one must not write
/// there: ThreadSanitizer reports it, and readers of different collections would share a line.
@Suite(.timeLimit(.minutes(10))) struct EmptySnapshotTests {
  @Test(arguments: Backend.synchronous(.weakArray))
  func `threads take empty snapshots of arrays of their own`(_ backend: Backend) async throws {
    let arrays = try await [
      backend.synchronousWeakArray(of: Counted.self),
      backend.synchronousWeakArray(of: Counted.self),
    ]
    let counts = await onOwnThreads(2) { thread in
      (0..<100).reduce(0) { sum, _ in sum + arrays[thread].all.count + arrays[thread].count }
    }
    #expect(counts == [0, 0])
  }

  @Test func `threads look up no keys at once`() async {
    let dictionary = LockFreeDictionary<Int, Int>()
    let counts = await onOwnThreads(2) { _ in
      (0..<100).reduce(0) { sum, _ in sum + dictionary.values(forKeys: []).count }
    }
    #expect(counts == [0, 0])
  }
}
