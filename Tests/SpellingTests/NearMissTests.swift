import Testing

@testable import Spelling

struct NearMissTests {
  static let backends = ["barrier-queue", "mutex", "read-write-lock", "actor", "lock-free"]

  @Test(arguments: [
    ("mutx", ["mutex"]), ("muetx", ["mutex"]), ("Mutex", ["mutex"]), ("lockfree", ["lock-free"]),
    ("read-write", ["read-write-lock"]), ("barrierQueue", ["barrier-queue"]),
  ])
  func `a slip finds the name that was meant`(_ typed: String, _ expected: [String]) {
    #expect(NearMiss.suggestions(for: typed, among: Self.backends) == expected)
  }

  @Test(arguments: ["semaphore", "", "x", "r"])
  func `what is near nothing suggests nothing`(_ typed: String) {
    #expect(NearMiss.suggestions(for: typed, among: Self.backends).isEmpty)
  }

  @Test func `the nearest comes first and there are at most three`() {
    let allowed = ["rods", "reel", "read", "reed", "red"]
    let suggestions = NearMiss.suggestions(for: "reed", among: allowed)
    #expect(suggestions == ["reed", "reel", "read"])
  }

  @Test(arguments: [
    ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abcd", "abd", 1),
    ("kitten", "sitting", 3), ("ca", "abc", 3),
  ])
  func `the distance counts slips`(_ source: String, _ target: String, _ expected: Int) {
    #expect(NearMiss.distance(from: Array(source), to: Array(target)) == expected)
  }
}
