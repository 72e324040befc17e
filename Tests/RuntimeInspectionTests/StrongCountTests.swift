import RuntimeInspection
import Testing

@Suite struct StrongCountTests {
  private final class Thing {}

  @Test func `each reference that is kept counts once`() throws {
    let thing = Thing()
    let alone = try #require(strongCount(of: thing))
    var kept: [Thing] = []
    for count in 1...3 {
      kept.append(thing)
      #expect(strongCount(of: thing) == alone + count)
    }
    #expect(kept.count == 3)
  }
}
