import Measurements
import Testing

struct RankingTests {
  @Test func `a clear win over three trials is best`() {
    let marks = Ranking.marks(for: [
      ("slow", [50, 60, 70]), ("fast", [10, 12, 11]), ("middle", [13, 20, 30]),
    ])
    #expect(marks == ["fast": .best, "middle": .none, "slow": .none])
  }

  @Test func `an overlap leaves contenders`() {
    let marks = Ranking.marks(for: [
      ("fast", [10, 12, 14]), ("close", [13, 20, 30]), ("tied", [14, 15, 16]),
      ("slow", [14.1, 50, 60]),
    ])
    #expect(marks == ["fast": .contender, "close": .contender, "tied": .contender, "slow": .none])
  }

  @Test func `two trials are never enough`() {
    #expect(
      Ranking.marks(for: [("fast", [10, 11]), ("slow", [50, 60])])
        == ["fast": .contender, "slow": .none])
    #expect(
      Ranking.marks(for: [("fast", [10, 11, 12]), ("slow", [50, 60])])
        == ["fast": .contender, "slow": .none])
  }

  @Test func `equal trials are contenders however many`() {
    let trials = Array(repeating: 5.0, count: 10)
    #expect(
      Ranking.marks(for: [("one", trials), ("other", trials)])
        == ["one": .contender, "other": .contender])
  }

  @Test func `who is alone or was not tried has no mark`() {
    #expect(Ranking.marks(for: []).isEmpty)
    #expect(
      Ranking.marks(for: [("alone", [1, 1, 1]), ("absent", [])])
        == ["alone": .none, "absent": .none])
  }

  @Test func `summaries compete only with those that differ in the backend alone`() {
    var measurements: [Measurement] = []
    for trial in 1...3 {
      let time = Double(trial)
      measurements += [
        .trial(trial, of: "mutex", nanosecondsPerOperation: 10 + time),
        .trial(trial, of: "actor", nanosecondsPerOperation: 100 + time),
        .trial(trial, of: "mutex", nanosecondsPerOperation: 50 + time, size: 64),
        .trial(trial, of: "actor", nanosecondsPerOperation: 50 + time, size: 64),
        .trial(trial, of: "lock-and-dictionary", nanosecondsPerOperation: time, kind: .peer),
      ]
    }
    let marks = Ranking.marks(for: Summary.summaries(of: measurements))
    #expect(marks == [.best, .none, .contender, .contender, .none])
  }
}
