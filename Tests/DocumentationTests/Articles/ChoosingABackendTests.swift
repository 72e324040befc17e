import Choosing
import Testing
import WeakCollections

/// Runs the blocks of the article *Choosing a backend*.
struct ChoosingABackendTests {
  @Test func `the chooser answers with a backend and a reason`() {
    let profile = WorkloadProfile(
      collection: .dictionary, shares: OperationShares(read: 95, insert: 3, remove: 2),
      threads: 8, cores: 2, entries: 1000, synchronousOnly: true)
    let recommendation = Chooser().recommendation(for: profile)
    print(recommendation.backend, recommendation.isMeasured, recommendation.reason)
    #expect(recommendation.backend.isSynchronous && !recommendation.reason.isEmpty)
  }

  @Test func `a recording says what was done`() throws {
    let sizes = RecordingDictionary(AtomicDictionary<String, Int>())
    sizes["a"] = 1
    for _ in 0..<9 { _ = sizes["a"] }
    if let profile = sizes.profile {
      print(Chooser().recommendation(for: profile).backend)
    }
    #expect(try #require(sizes.profile).shares.read == 90)
  }

  @Test func `every backend has a name of its own`() {
    let known = MutexDictionary<String, Int>()
    let selected = AtomicDictionary<String, Int>()
    known["a"] = 1
    selected["a"] = known["a"]
    #expect(selected["a"] == 1)
  }

  @Test func `an object is used without being retained`() {
    final class Connection: Sendable { let isOpen = true }
    let connections = AtomicDictionary<String, Connection>()
    let host = "a"
    connections[host] = Connection()
    let isOpen = connections.withValue(forKey: host) { $0.isOpen } ?? false
    #expect(isOpen)
  }

  @Test func `the build says what it selected`() {
    print(Backend.ofAtomicName(of: .dictionary), Backend.selectedByTrait as Any)
    for backend in Backend.supporting(.weakSet) { print(backend.typeName(for: .weakSet)) }
    #expect(Backend.supporting(.weakSet).contains(.ofAtomicName(of: .weakSet)))
  }
}
