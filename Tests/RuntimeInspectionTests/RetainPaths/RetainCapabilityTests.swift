import RuntimeInspection
import Testing

@Suite struct RetainCapabilityTests {
  @Test func `searching works on Linux, and says so where it does not`() {
    #if os(Linux) && (arch(x86_64) || arch(arm64))
      #expect(RetainSearch.capability == .available)
    #else
      #expect(RetainSearch.capability != .available)
      guard case .unavailable = RetainSearch().find(Holder()) else {
        Issue.record("found something")
        return
      }
    #endif
  }
}
