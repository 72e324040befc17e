import Foundation
import Measurements
import Testing

struct StudentDistributionTests {
  /// From the tables of the distribution; the first is a Cauchy distribution, tan(0.95 π/2).
  @Test(arguments: [
    (1.0, 0.95, 12.7062), (2, 0.95, 4.30265), (4, 0.95, 2.77645), (9, 0.99, 3.24984),
    (30, 0.95, 2.04227), (1e6, 0.95, 1.95997),
  ])
  func `its bounds are those of the tables`(
    _ freedom: Double, _ confidence: Double, _ bound: Double
  ) {
    let distribution = StudentDistribution(freedom: freedom)
    let found = distribution.bound(ofConfidence: confidence)
    #expect(abs(found - bound) < 2e-5 * bound)
    #expect(abs(distribution.probability(beyond: found) - (1 - confidence)) < 1e-9)
  }

  @Test func `nothing is surely beyond 0, and little beyond 1,000`() {
    let distribution = StudentDistribution(freedom: 3)
    #expect(distribution.probability(beyond: 0) == 1)
    #expect(distribution.probability(beyond: 1000) < 1e-8)
    #expect(distribution.probability(beyond: -2) == distribution.probability(beyond: 2))
  }
}

struct SessionValuesTests {
  @Test func `values are collected by session, and each session counts once`() throws {
    let rows = [(1, 2.0), (2, 9), (1, 4), (1, 3)].enumerated().map { index, value in
      var row = Measurement.trial(index, of: "mutex", nanosecondsPerOperation: value.1)
      row.trial.session = value.0
      return row
    }
    let values = try #require(SessionValues(rows, .nanosecondsPerOperation))
    #expect(values.bySession == [[2, 4, 3], [9]])
    #expect(values.figures == [3, 9] && values.figure == 6)
    #expect(values.trials == 4 && values.all == [2, 4, 3, 9])
    #expect(SessionValues([], .p50) == nil)
  }
}

/// Values of sessions whose names begin with a letter: one list for each session.
private func values(_ sessions: [[Double]], run: String = "a") -> SessionValues {
  SessionValues(
    sessions.enumerated().flatMap { index, values in
      values.map { (Measurement.Session(run: run, number: index + 1), $0) }
    })!
}

struct RatioEstimateTests {
  @Test func `what slows a whole session down cancels`() throws {
    let one = values([[10, 11, 12], [20, 22, 24], [31, 33, 35]])
    let other = values([[20, 22, 24], [40, 44, 48], [62, 66, 70]])
    let estimate = RatioEstimate(of: other, to: one)
    #expect(estimate.isPaired && estimate.scope == .sessions(count: 3))
    #expect(abs(estimate.ratio - 2) < 1e-12)
    let interval = try #require(estimate.interval)
    #expect(interval.upperBound - interval.lowerBound < 1e-9)
  }

  @Test func `the interval of pairs is Student's`() throws {
    // Logarithms of the ratios: 0, 0.1 and 0.2, so a mean of 0.1 and a standard error of 0.1 ÷ √3.
    let one = values([[100], [100], [100]])
    let other = values([[100], [100 * exp(0.1)], [100 * exp(0.2)]])
    let interval = try #require(RatioEstimate(of: other, to: one).interval)
    let half = 4.30265 * 0.1 / 3.0.squareRoot()
    #expect(abs(log(interval.lowerBound) - (0.1 - half)) < 1e-5)
    #expect(abs(log(interval.upperBound) - (0.1 + half)) < 1e-5)
  }

  @Test func `other sessions are compared by their means`() throws {
    let one = values([[100], [110], [121]])
    let other = values([[200], [220], [242]], run: "b")
    let estimate = RatioEstimate(of: other, to: one)
    #expect(!estimate.isPaired && estimate.scope == .sessions(count: 3))
    #expect(abs(estimate.ratio - 2) < 1e-12)
    // Equal variances, so 4 degrees of freedom; logarithms a step of log 1.1 apart.
    let half = 2.77645 * log(1.1) * (2.0 / 3).squareRoot()
    #expect(abs(log(try #require(estimate.interval).upperBound / 2) - half) < 1e-5)
  }

  @Test func `one common session does not hide the others`() {
    let one = values([[100], [110], [121]])
    let other = SessionValues(
      [("a", 1, 200.0), ("b", 2, 220), ("b", 3, 242)].map {
        (Measurement.Session(run: $0.0, number: $0.1), $0.2)
      })!
    let estimate = RatioEstimate(of: other, to: one)
    #expect(!estimate.isPaired && estimate.scope == .sessions(count: 3))
    #expect(abs(estimate.ratio - 2) < 1e-12)
  }

  @Test func `the base may be either side`() throws {
    let (one, other) = (values([[3, 4], [5], [7]]), values([[6], [5, 4], [9]]))
    let there = RatioEstimate(of: one, to: other)
    let back = RatioEstimate(of: other, to: one)
    #expect(abs(there.ratio * back.ratio - 1) < 1e-12)
    let (interval, turned) = (try #require(there.interval), try #require(back.interval))
    #expect(abs(interval.lowerBound * turned.upperBound - 1) < 1e-12)
  }

  @Test func `one session speaks of itself alone`() {
    let (one, other) = (values([[10, 11, 12]]), values([[20, 21, 22]]))
    #expect(RatioEstimate(of: one, to: other).scope == .oneSession)
    #expect(RatioEstimate(of: one, to: other).interval != nil)
    // Trials of two sessions differ by the sessions, too.
    let elsewhere = RatioEstimate(of: one, to: values([[20, 21, 22]], run: "b"))
    #expect(elsewhere.scope == .oneSession && elsewhere.interval == nil)
    #expect(RatioEstimate(of: one, to: values([[20], [21]], run: "b")).scope == .oneSession)
    #expect(RatioEstimate(of: values([[10]]), to: values([[20]])).interval == nil)
  }

  @Test func `nothing is certainly less than something`() {
    let none = values([[0], [0], [0]])
    let some = values([[16], [16], [17]])
    #expect(RatioEstimate(of: some, to: none).interval == .infinity ... .infinity)
    #expect(RatioEstimate(of: none, to: none).interval == 1...1)
    #expect(RatioEstimate(of: values([[0], [16], [16]]), to: none).interval == nil)
  }

  @Test func `values without spread are certain from three sessions on`() {
    func interval(_ one: Double, _ other: Double, sessions: Int) -> ClosedRange<Double>? {
      func side(_ value: Double) -> SessionValues {
        values(Array(repeating: [value, value], count: sessions))
      }
      return RatioEstimate(of: side(one), to: side(other)).interval
    }
    for sessions in [1, 2] {
      #expect(interval(0, 16, sessions: sessions) == nil)
      #expect(interval(160, 170, sessions: sessions) == nil)
    }
    #expect(interval(0, 16, sessions: 3) == 0...0)
    #expect(interval(160, 320, sessions: 3).map { abs($0.lowerBound - 0.5) < 1e-9 } == true)
  }

  @Test func `a rate counts at the median time, and a tail of an open loop at its worst`() {
    func figure(_ values: [Double], _ metric: MetricColumn) -> Double? {
      let session = Measurement.Session(run: "a", number: 1)
      return SessionValues(values.map { (session, $0) }, of: metric)?.figure
    }
    #expect(figure([10, 30], .operationsPerSecond) == 15)
    #expect(figure([10, 30], .p99) == 20)
    #expect(figure([10, 30], .intendedP99) == 30)
  }

  @Test func `verdicts contradict each other only if they cannot both be true`() {
    let rule = VerdictRule()
    func judgment(_ ratios: [Double]) -> Judgment {
      rule.judgment(
        on: values(ratios.map { [$0] }), over: values(ratios.map { _ in [1] }))
    }
    let (equal, slightly, slow, fast) = (
      judgment([1, 1.001, 1.002]), judgment([1.03, 1.04, 1.06]), judgment([1.5, 1.52, 1.53]),
      judgment([0.5, 0.51, 0.52])
    )
    #expect(slightly.verdict == .slower && equal.verdict == .equivalent)
    #expect(!rule.isContradiction(equal, slightly) && !rule.isContradiction(slightly, equal))
    #expect(rule.isContradiction(equal, slow) && rule.isContradiction(slow, equal))
    #expect(rule.isContradiction(fast, slightly) && !rule.isContradiction(slow, slightly))
  }
}

struct VerdictRuleTests {
  private func verdict(
    _ ratios: [Double], _ rule: VerdictRule = VerdictRule(), isSmallerBetter: Bool = true
  ) -> Verdict {
    rule.judgment(
      on: values(ratios.map { [100 * $0] }), over: values(ratios.map { _ in [100] }),
      isSmallerBetter: isSmallerBetter
    ).verdict
  }

  @Test func `the interval decides`() {
    #expect(verdict([0.80, 0.81, 0.82]) == .faster)
    #expect(verdict([1.20, 1.21, 1.22]) == .slower)
    #expect(verdict([1.20, 1.21, 1.22], isSmallerBetter: false) == .faster)
    #expect(
      verdict([1.020, 1.021, 1.022]) == .equivalent, "it excludes 1, but is within the margin")
    #expect(verdict([0.80, 1.21, 1.00]) == .undecided)
    #expect(verdict([1.04, 1.06, 1.08], VerdictRule(margin: 0)) == .slower)
    #expect(verdict([1.20, 1.21, 1.22], VerdictRule(margin: 0.3)) == .equivalent)
  }

  @Test func `what a user assumes to be noise does not count`() {
    #expect(verdict([1.20, 1.21, 1.22], VerdictRule(assumedNoise: 0.3)) == .undecided)
    #expect(verdict([1.20, 1.21, 1.22], VerdictRule(assumedNoise: 0.1)) == .slower)
    #expect(verdict([1.01, 1.01, 1.01], VerdictRule(assumedNoise: 0.1)) == .undecided)
  }

  @Test func `of one session the general verdict is undecided`() {
    let judgment = VerdictRule().judgment(
      on: values([[10, 11, 12]]), over: values([[90, 91, 92]]))
    #expect(judgment.verdict == .faster && judgment.isIndicative)
    #expect(judgment.generalVerdict == .undecided)
  }
}

struct ContestTests {
  private func contest(_ entrants: [(String, [[Double]])]) -> Contest<String> {
    Contest(entrants.map { ($0.0, values($0.1)) })
  }

  @Test func `a winner is faster than each other one`() {
    let contest = contest([
      ("slow", [[50], [60], [70]]), ("fast", [[10], [12], [14]]), ("middle", [[20], [24], [28]]),
    ])
    #expect(contest.outcome == .won(by: "fast"))
    #expect(contest.others.map(\.name) == ["middle", "slow"])
    #expect(abs(contest.margin!.ratio - 2) < 1e-12)
    #expect(Mark(of: "fast", in: contest) == .best && Mark(of: "middle", in: contest) == .none)
  }

  @Test func `who may be as fast contends`() {
    let contest = contest([
      ("fast", [[10], [12], [14]]), ("close", [[12], [11], [16]]), ("slow", [[50], [60], [70]]),
    ])
    #expect(contest.outcome == .undecided(["fast", "close"]))
    #expect(Mark(of: "close", in: contest) == .contender)
  }

  @Test func `who scatters around more than twice the best does not contend`() {
    let contest = contest([("fast", [[10], [12], [14]]), ("wide", [[9], [60], [900]])])
    #expect(contest.outcome == .undecided(["fast", "wide"]) && contest.outOfRange == ["wide"])
    #expect(Mark(of: "fast", in: contest) == .contender)
    #expect(Mark(of: "wide", in: contest) == .outOfRange)
    #expect(contest.others[0].judgment.text == "undecided (range)")
  }

  @Test func `medians that contradict a ratio leave it undecided`() {
    // In the shared sessions they are equal; the others make the first one look slow.
    let alike = values([[10], [10], [10]])
    let slow = values([[10], [10], [10]] + Array(repeating: [50], count: 6))
    let judgment = VerdictRule().judgment(on: slow, over: alike)
    #expect(judgment.estimate.ratio == 1)
    #expect(judgment.verdict == .undecided && judgment.isOutOfRange)
    let full = slow.compared(over: Set(alike.sessions))
    #expect(VerdictRule().judgment(on: full, over: alike).verdict == .equivalent)
  }

  @Test func `the decision is the winner of most contests, and names those that it loses`() {
    func entrants(_ a: Double, _ b: Double) -> Contest<String> {
      contest([
        ("a", [[a], [a * 1.1], [a * 1.2]]), ("b", [[b], [b * 1.1], [b * 1.2]]),
      ])
    }
    let open = contest([("a", [[10], [30], [20]]), ("b", [[20], [20], [20]])])
    let decision = Decision(
      of: [entrants(10, 20), open, entrants(20, 10), entrants(30, 10)], standard: "a")
    #expect(decision.winner == "b" && decision.won == [2, 3] && decision.lost == [0])
    let none = Decision(of: [open, open], standard: "a")
    #expect(none.winner == nil && none.won == [] && none.lost == [])
    let session = contest([("a", [[10, 11, 12]]), ("b", [[50, 51, 52]])])
    #expect(session.generalOutcome == .undecided(["a", "b"]))
    #expect(Decision(of: [session], standard: "b").winner == nil)
    #expect(Decision(of: [session], standard: "b").lost == [])
  }

  @Test func `who is as fast is equivalent`() {
    let contest = contest([("one", [[10], [12], [14]]), ("other", [[10.1], [12.1], [14.1]])])
    #expect(contest.outcome == .tied(["one", "other"]))
  }

  @Test func `a single session has its winner in it`() {
    let contest = contest([("fast", [[10, 11, 12]]), ("slow", [[50, 51, 52]])])
    #expect(contest.outcome == .won(by: "fast") && contest.isIndicative)
    #expect(Mark(of: "fast", in: contest) == .bestInSession)
  }

  @Test func `who is alone does not compete`() {
    #expect(contest([]).outcome == .none)
    #expect(contest([("alone", [[1], [1]])]).outcome == .none)
    #expect(Mark(of: "alone", in: contest([("alone", [[1], [1]])])) == .none)
  }
}
