import Benchmarking
import Measurements
import Testing
import WeakCollections
import Workloads

@testable import weakbench

@Suite struct RunPlanTests {
  @Test func `the standard matrix is every workload, backend and thread count, three times`() throws
  {
    let trials = try RunPlan.of("").trials
    let subjects = trials.filter { $0.contestant.kind == .subject }
    let workloads = WorkloadSubject.allCases.flatMap(Workload.all)
    #expect(subjects.count == workloads.count * Backend.allCases.count * 4 * 3)
    #expect(Set(subjects.map(\.threads)) == [1, 2, 4, 8])
    #expect(Set(trials.map(\.size)) == [1024])
    #expect(Set(trials).count == trials.count)
  }

  @Test func `peers and baselines of the standard matrix have one thread and one on each core`()
    throws
  {
    let others = try RunPlan.of("").trials.filter { $0.contestant.kind != .subject }
    #expect(Set(others.map(\.threads)) == [1, 2])
    #expect(Set(others.map(\.contestant.name)) == ["ns-lock", "published-queue", "empty-loop"])
  }

  @Test(arguments: [1, 2, 3, 4, 64])
  func `the standard matrix ends within 18 minutes, bytes or not`(_ cores: Int) throws {
    let plan = try RunPlan.of("", usableCores: cores)
    let bytes = AllocatorProbe.isAvailable ? 0 : 0.07
    #expect(plan.estimatedSeconds + bytes * Double(plan.trials.count) <= 18 * 60)
  }

  @Test func `quick is 120 subject rows and the baseline, in under two minutes`() throws {
    let plan = try RunPlan.of("--quick")
    let subjects = plan.trials.filter { $0.contestant.kind == .subject }
    #expect(subjects.count == 120)
    #expect(plan.trials.filter { $0.contestant.kind == .baseline }.count == 24)
    #expect(plan.trials.count == 144)
    #expect(plan.estimatedSeconds + 0.07 * 144 < 100)
    for collection in CollectionKind.allCases {
      let own = subjects.filter { $0.contestant.collection == collection }
      #expect(Set(own.map(\.workload.name)).count == 3)
      #expect(Set(own.map(\.contestant.name)).count == 5)
      #expect(Set(own.map(\.threads)) == [1, 4])
    }
  }

  @Test func `thread counts that coincide are run once`() throws {
    #expect(Set(try RunPlan.of("", usableCores: 1).trials.map(\.threads)) == [1, 2, 4])
    #expect(try RunPlan.of("--threads 2,2,1 --backend mutex").trials.count == 2 * 17 * 3)
  }

  @Test func `options replace their part of the matrix`() throws {
    let line =
      "--collection dictionary --backend lock-free,ns-lock --mix read=95,insert=5 --threads 3 "
      + "--size 64,128 --seconds 0.2 --trials 2 --seed 42"
    let plan = try RunPlan.of(line)
    #expect(plan.trials.count == 2 * 2 * 2)
    #expect(plan.seed == Seed(42))
    let trial = try #require(plan.trials.first)
    #expect(trial.workload.name == "custom")
    #expect(trial.threads == 3)
    #expect(trial.seconds == 0.2)
    #expect(trial.warmupSeconds == 0.05)
  }

  @Test func `a workload of one collection alone is run for that one`() throws {
    let trials = try RunPlan.of("--workload churn").trials
    #expect(Set(trials.map(\.contestant.collection)) == [.weakArray])
  }

  @Test func `the same seed gives the same trials in the same order`() throws {
    #expect(try RunPlan.of("--seed 9").trials == RunPlan.of("--seed 9").trials)
    #expect(try RunPlan.of("--seed 9").trials != RunPlan.of("--seed 10").trials)
  }

  @Test(arguments: [
    ("--collection set", "weak-array, dictionary"),
    ("--backend lockfree", "did you mean lock-free? (allowed: barrier-queue, mutex"),
    ("--backend mutex,", "allowed: barrier-queue, mutex"),
    ("--workload churm", "did you mean churn? (allowed: read-only"),
    ("--workload churn --collection dictionary", "(allowed: read-only, read-heavy"),
    ("--mix read=95", "they must sum to 100"),
    ("--mix raed=100", "did you mean read?"),
    ("--mix read=100 --workload churn", "allowed: one of them"),
    ("--backend published-queue --workload exchange", "published-queue: read-only"),
    ("--threads 0", "from 1 to 1024"),
    ("--threads -1", "from 1 to 1024"),
    ("--threads 1,two", "from 1 to 1024"),
    ("--size 0", "from 1 to 10000000"),
    ("--size -64", "from 1 to 10000000"),
    ("--seconds 0", "from 0.01 to 3600"),
    ("--seconds -1", "from 0.01 to 3600"),
    ("--seconds inf", "from 0.01 to 3600"),
    ("--trials 0", "from 1 to 1000"),
    ("--trials 99999999999999999999", "from 1 to 1000"),
    ("--seed -1", "from 0 to 9007199254740991"),
    ("--seed 9007199254740992", "from 0 to 9007199254740991"),
  ])
  func `what is not allowed is one line that lists what is`(_ line: String, _ hint: String) throws {
    let error = try commandError { _ = try RunPlan.of(line) }
    #expect(error.status == .usage)
    #expect(error.description.contains(hint), "\(error)")
    #expect(!error.description.contains { $0.isNewline })
  }
}
