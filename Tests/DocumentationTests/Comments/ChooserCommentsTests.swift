import Choosing
import Testing
import WeakCollections

/// The example in the comment of `Chooser`.
struct ChooserCommentsTests {
  @Test func `a chooser recommends a backend without await`() {
    let profile = WorkloadProfile(
      collection: .dictionary, shares: OperationShares(read: 90, update: 10), threads: 4,
      cores: 4, entries: 1_000, synchronousOnly: true)
    let recommendation = Chooser().recommendation(for: profile)
    print(recommendation.backend, recommendation.reason)
    #expect(recommendation.backend.isSynchronous)
  }
}
