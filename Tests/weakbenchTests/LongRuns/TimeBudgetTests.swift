import TerminalIO
import ProgramTesting
import BenchmarkCommands
import Benchmarking
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import weakbench

@Suite struct TimeBudgetTests {
  private static let large =
    "--seed 5 --trials 10 --seconds 0.5 --size 64,1024,4096 --threads 1,2,4,8"

  @Test(arguments: [("90s", 90.0), ("10m", 600), ("1h30m", 5400), ("1h0m5s", 3605)])
  func `a time is hours, minutes and seconds`(_ text: String, _ seconds: Double) throws {
    #expect(try TimeBudget(option: text)?.seconds == seconds)
  }

  @Test(arguments: ["", "600", "10", "5x", "0s", "m", "1s1m", "1.5m", "-1m", "99999h"])
  func `what is no time is refused`(_ text: String) throws {
    let error = try commandError { _ = try TimeBudget(option: text) }
    #expect(error.status == .usage)
    #expect(error.description.contains("such as 90s, 10m or 1h30m"))
  }

  @Test func `a plan that fits is left alone`() throws {
    let plan = try RunPlan.of("--quick --time-budget 1h --seed 5")
    #expect(plan.trials == (try RunPlan.of("--quick --seed 5").trials))
    #expect(plan.leftOut == "")
    #expect(try RunPlan.of("--quick").leftOut == nil)
  }

  @Test(arguments: ["5h", "1h", "10m", "2m", "20s"])
  func `what is left fits, and is part of what was asked`(_ budget: String) throws {
    let asked = try RunPlan.of(Self.large)
    let plan = try RunPlan.of("\(Self.large) --time-budget \(budget)")
    let seconds = try #require(try TimeBudget(option: budget)?.seconds)
    #expect(plan.estimatedSeconds <= seconds)
    #expect(!plan.trials.isEmpty)
    let all = Set(asked.trials.map { $0.timed(plan.trials[0].seconds) })
    #expect(plan.trials.allSatisfy { all.contains($0.timed(plan.trials[0].seconds)) })
    #expect((plan.leftOut == "") == (plan.trials == asked.trials))
  }

  @Test func `five repetitions are kept while anything else can be given up`() throws {
    let asked = try RunPlan.of(Self.large)
    var seconds = asked.estimatedSeconds
    var given: [PlanShrinking] = []
    while seconds > 6 {
      var shrinking = PlanShrinking(asked.trials) { trials in
        trials.reduce(0) { $0 + $1.estimatedSeconds } <= seconds
      }
      let fits = shrinking.shrink(usableCores: 2, keepsContestants: false)
      #expect(fits)
      given.append(shrinking)
      seconds *= 0.6
    }
    for trials in given.map(\.trials) where trials.contains(where: { $0.number == 5 }) == false {
      // The last step: nothing else is left to give up.
      #expect(Set(trials.map(\.threads)) == [2])
      #expect(Set(trials.map(\.size)) == [1024])
      #expect(trials.allSatisfy { $0.contestant.kind == .subject })
      #expect(Set(trials.map { "\($0.contestant.collection)\($0.workload.name)" }).count == 2)
    }
    #expect(given.last?.trials.contains { $0.number == 5 } == false)
  }

  @Test func `all contestants keep the same work, whatever is given up`() throws {
    let plan = try RunPlan.of("\(Self.large) --backend mutex,lock-free --time-budget 90s")
    let work = Dictionary(grouping: plan.trials, by: \.contestant).mapValues { trials in
      Set(trials.map { "\($0.workload.name) \($0.threads) \($0.size) \($0.number)" })
    }
    #expect(work.count == 4)
    for collection in StandardMatrix.collections {
      let own = work.filter { $0.key.collection == collection }.map(\.value)
      #expect(Set(own).count == 1)
    }
  }

  @Test func `ends and the standard are kept longer than what lies between`() {
    #expect(PlanShrinking.expendable([1, 2, 4, 8], first: 2) == [4, 8, 1])
    #expect(
      PlanShrinking.expendable([64, 512, 1024, 4096, 65536], first: 1024) == [4096, 512, 65536, 64])
    #expect(PlanShrinking.expendable([7], first: 2) == [])
    #expect(PlanShrinking.expendable([3, 5], first: 2) == [5])
  }

  @Test func `what is left out is said in one line`() throws {
    let line = try #require(
      RunPlan.of("\(Self.large) --collection dictionary --time-budget 4m").leftOut)
    #expect(line.hasPrefix("repetitions 6 to 10; 0.39 of 0.50 s of each trial; "))
    #expect(line.contains("baselines empty-loop; peers ns-lock, published-queue; sizes 64, 4096"))
    #expect(!line.contains { $0.isNewline })
  }

  @Test func `a budget that nothing fits into is refused with what is needed`() throws {
    let error = try commandError { _ = try RunPlan.of("\(Self.large) --time-budget 1s") }
    #expect(error.status == .usage)
    #expect(error.description.contains("the least that can be left of this plan takes"))
  }

  @Test func `the budget is each shard's own`() throws {
    let whole = try RunPlan.of("--quick --seed 5 --time-budget 30s")
    for number in 1...4 {
      let plan = try RunPlan.of("--quick --seed 5 --time-budget 30s --shard \(number)/4")
      #expect(plan.estimatedSeconds <= 30)
      #expect(plan.whole.count >= whole.trials.count)
    }
  }
}

extension TrialSpecification {
  fileprivate func timed(_ seconds: Double) -> TrialSpecification {
    var trial = self
    trial.seconds = seconds
    trial.warmupSeconds = StandardMatrix.warmupSeconds(forSeconds: seconds)
    return trial
  }
}
