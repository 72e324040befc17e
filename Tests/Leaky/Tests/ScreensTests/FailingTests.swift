import Testing

@Suite struct FailingTests {
  @Test func `it fails`() {
    #expect(Bool(false))
  }
}
