import Testing

@testable import LeakMonitoring

struct GraceTests {
  @Test func `grace is over after its time and twenty polls`() {
    let times = (1...20).map { Duration.seconds(100) + .milliseconds(50) * $0 }
    #expect(firstEnd(of: Grace(.seconds(1), from: .seconds(100)), at: times) == .seconds(101))
  }

  @Test func `time alone does not end it`() {
    let times = (1...30).map { Duration.seconds($0) }
    #expect(firstEnd(of: Grace(.seconds(1), from: .zero), at: times) == .seconds(20))
  }

  @Test func `polls alone do not end it`() {
    let times = (1...2000).map { Duration.milliseconds($0) }
    #expect(firstEnd(of: Grace(.seconds(1), from: .zero), at: times) == .seconds(1))
  }

  @Test func `a gap of more than a second begins it anew`() {
    let early = (1...19).map { Duration.milliseconds(50 * $0) }
    let late = (0...30).map { Duration.milliseconds(950 + 1001 + 50 * $0) }
    #expect(
      firstEnd(of: Grace(.seconds(1), from: .zero), at: early + late) == .milliseconds(2951))
  }

  @Test func `a gap before the first poll begins it anew, and none of a second`() {
    let times = (0...30).map { Duration.milliseconds(1001 + 1000 * $0) }
    #expect(firstEnd(of: Grace(.zero, from: .zero), at: times) == .milliseconds(21_001))
  }

  @Test(arguments: [
    (Duration.zero, Duration.milliseconds(1)), (.milliseconds(100), .milliseconds(5)),
    (.seconds(60), .milliseconds(250)),
  ])
  func `polls are neither too dense nor as far apart as a gap`(
    _ duration: Duration, _ interval: Duration
  ) {
    #expect(Grace(duration, from: .zero).interval == interval)
  }

  /// The first of `times` at which `grace` is over.
  private func firstEnd(of grace: Grace, at times: [Duration]) -> Duration? {
    var grace = grace
    return times.first { grace.poll(at: $0) }
  }
}
