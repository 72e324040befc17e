import RuntimeInspection
import Synchronization
import Testing

private final class Locked: Sendable {
  let names = Mutex("")
  let others = Mutex<[String: Locked]>([:])
}

@Suite(.enabled(if: RetainSearch.capability == .available)) struct RetainMutexTests {
  @Test func `a cycle is found through what a mutex protects`() throws {
    let locked = Locked()
    locked.others.withLock { $0["a"] = locked }
    defer { locked.others.withLock { $0 = [:] } }
    let path = try #require(findPatiently(locked).path)
    #expect(path.origin == .cycle && path.isProbable)
    #expect(path.edges.map(\.label) == [".others[x]"])
  }
}
