import Measurements
import SeededTesting
import Testing

struct BootstrapTests {
  private var generator = SeededGenerator(seed: TestOptions.seed)

  @Test mutating func `equal values leave no doubt`() {
    let values = Array(repeating: 5.5, count: 6)
    #expect(Bootstrap().interval(ofMedianOf: values, using: &generator) == 5.5...5.5)
  }

  @Test mutating func `five values have no interval`() {
    let values = [1.0, 2, 3, 4, 5]
    #expect(Bootstrap().interval(ofMedianOf: values, using: &generator) == nil)
  }

  @Test mutating func `one seed gives one interval, in whatever order the values come`() {
    let values = (0..<12).map { _ in Double.random(in: 1...2, using: &generator) }
    var (one, other) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
    let interval = Bootstrap().interval(ofMedianOf: values, using: &one)
    #expect(interval != nil)
    #expect(interval == Bootstrap().interval(ofMedianOf: values.reversed(), using: &other))
  }

  @Test mutating func `an interval lies within the values and holds their median`() throws {
    for count in 6...25 {
      let values = (0..<count).map { _ in Double.random(in: 1...2, using: &generator) }
      let interval = try #require(Bootstrap().interval(ofMedianOf: values, using: &generator))
      #expect(interval.contains(try #require(Statistics.median(values))))
      #expect((values.min()!...values.max()!).contains(interval.lowerBound))
      #expect((values.min()!...values.max()!).contains(interval.upperBound))
    }
  }

  /// The middle of 9 ranks drawn from 9 is one of the first two with a probability of 0.030 and the
  /// first with 0.0015, as the binomial distribution says; so its 2.5 % point is the second value.
  @Test mutating func `of nine values the interval goes from the second to the eighth`() {
    let values = (1...9).map { Double($0) }
    #expect(
      Bootstrap(resamples: 10_000).interval(ofMedianOf: values, using: &generator) == 2...8)
  }

  @Test(arguments: [6, 10, 31])
  func `the interval of a median holds it about 95 times in 100`(_ trials: Int) throws {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let held = try (0..<200).count { _ in
      let values = LogNormal.trials(trials, median: 100, using: &generator)
      return try #require(
        Bootstrap(resamples: 300).interval(ofMedianOf: values, using: &generator)
      ).contains(100)
    }
    #expect(held >= 177, "seed \(TestOptions.seed): \(held) of 200")
  }

  /// Three sessions of four trials, between which there is as much as within them.
  @Test func `an interval of a few sessions holds the median more often than one of their trials`()
    throws
  {
    var generator = SeededGenerator(seed: TestOptions.seed)
    let bootstrap = Bootstrap(resamples: 60)
    var held = (sessions: 0, trials: 0)
    for _ in 0..<40 {
      let sessions = LogNormal.trials(3, median: 100, using: &generator).map {
        LogNormal.trials(4, median: $0, using: &generator)
      }
      let interval = try #require(
        bootstrap.interval(ofMedianOfSessions: sessions, using: &generator))
      if interval.contains(100) { held.sessions += 1 }
      let trials = bootstrap.interval(ofMedianOf: sessions.flatMap(\.self), using: &generator)
      if try #require(trials).contains(100) { held.trials += 1 }
    }
    // So few sessions seldom show all of what they differ by.
    #expect(held.sessions >= 29, "of 40, seed \(TestOptions.seed)")
    #expect(held.trials < held.sessions, "of 40, seed \(TestOptions.seed)")
  }

  @Test mutating func `one session, or five values, have no interval of sessions`() {
    let bootstrap = Bootstrap()
    let one = [[1.0, 2, 3, 4, 5, 6]]
    #expect(bootstrap.interval(ofMedianOfSessions: one, using: &generator) == nil)
    let few = [[1.0, 2], [3], [4, 5]]
    #expect(bootstrap.interval(ofMedianOfSessions: few, using: &generator) == nil)
    let same = [[7.0, 7, 7], [7, 7], [7]]
    #expect(bootstrap.interval(ofMedianOfSessions: same, using: &generator) == 7...7)
  }
}
