import Measurements
import Testing

struct LimitTests {
  private let ours = Figure("dictionary", "lock-free", "read-only")
  private let theirs = Figure("dictionary", "tbb", "read-only")

  private func trials(_ values: [Figure: [Double]]) -> FigureTrials {
    var trials = FigureTrials()
    for (figure, values) in values { values.forEach { trials.add($0, to: figure) } }
    return trials
  }

  @Test func `a ratio is that of medians, not of means or of trials`() {
    let trials = trials([ours: [2, 100, 1, 2, 3], theirs: [6, 5, 7, 0.1, 200]])
    #expect(Quantity.ratio(.figure(theirs), to: .figure(ours)).value(in: trials) == 3)
    #expect(Quantity.difference(.figure(theirs), less: .figure(ours)).value(in: trials) == 4)
  }

  @Test func `ratios of ratios are computed as they are written`() {
    let once = Figure("threads", "lock-free", "×1")
    let trials = trials([ours: [2], theirs: [5], once: [8]])
    let scaling = Quantity.ratio(.figure(once), to: .figure(ours))
    #expect(Quantity.ratio(scaling, to: .figure(theirs)).value(in: trials) == 0.8)
    #expect(Quantity.ratio(scaling, to: .figure(theirs)).figures == [once, ours, theirs])
  }

  @Test func `what rests on a figure that is missing has no value`() {
    let trials = trials([ours: [2]])
    let ratio = Quantity.ratio(.figure(theirs), to: .figure(ours))
    #expect(ratio.value(in: trials) == nil)
    #expect(Quantity.difference(.figure(ours), less: ratio).value(in: trials) == nil)
    #expect(FigureTrials().median(of: ours) == nil)
  }

  @Test func `a ratio to nothing has no value`() {
    let trials = trials([ours: [0], theirs: [3]])
    #expect(Quantity.ratio(.figure(theirs), to: .figure(ours)).value(in: trials) == nil)
  }

  @Test(arguments: [
    (Bound.atMost(1.3), 1.3, true), (.atMost(1.3), 1.31, false), (.atLeast(2), 2, true),
    (.atLeast(2), 1.99, false), (.above(1), 1.001, true), (.above(1), 1, false),
  ])
  func `a bound is met from where it says`(_ bound: Bound, _ value: Double, _ isMet: Bool) {
    #expect(bound.isMet(by: value) == isMet)
  }

  @Test func `a slow contestant misses its requirement, whatever the target`() {
    let limit = Limit(
      "read-only", "as fast as tbb", .ratio(.figure(theirs), to: .figure(ours)),
      requirement: .above(1), target: .atLeast(2))
    let slow = LimitVerdict(limit, trials([ours: [10, 11, 12], theirs: [5, 5, 5]]))
    #expect(slow.requirement == .missed)
    #expect(slow.target == .missed)
    let fast = LimitVerdict(limit, trials([ours: [4, 4, 4], theirs: [5, 5, 5]]))
    #expect(fast.requirement == .met)
    #expect(fast.target == .missed)
  }

  @Test func `without a figure a bound is neither met nor missed, and no bound is no verdict`() {
    let limit = Limit("bytes", "bytes", .figure(ours), requirement: .atMost(12))
    let verdict = LimitVerdict(limit, FigureTrials())
    #expect(verdict.requirement == .notMeasured)
    #expect(verdict.target == nil)
    #expect(verdict.value == nil)
  }

  @Test func `a missed requirement outweighs what was not measured, which outweighs what is met`() {
    let met = Limit("a", "a", .figure(ours), requirement: .atMost(3))
    let missed = Limit("b", "b", .figure(ours), requirement: .atMost(1))
    let missing = Limit("c", "c", .figure(theirs), requirement: .atMost(1))
    let unbound = Limit("d", "d", .figure(theirs), target: .atMost(1))
    let trials = trials([ours: [2]])
    func requirement(_ limits: [Limit]) -> LimitVerdict.Outcome {
      limits.map { LimitVerdict($0, trials) }.requirement
    }
    #expect(requirement([met, unbound]) == .met)
    #expect(requirement([met, missing]) == .notMeasured)
    #expect(requirement([met, missing, missed]) == .missed)
  }
}
