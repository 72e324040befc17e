import BenchmarkCommands
import TerminalIO
import Benchmarking
import Measurements
import WeakCollections
import Workloads

/// What a run will do, once every option is known to be allowed; nothing has been opened yet.
struct RunPlan: Sendable {
  /// What is to be made now: of a shard, or of the whole.
  private(set) var trials: [TrialSpecification]
  /// All trials of all shards, without what the time budget leaves out.
  let whole: [TrialSpecification]
  let shard: Shard?
  /// What the time budget leaves out, if there is one; empty for nothing.
  let leftOut: String?
  let seed: Seed
  let isQuick: Bool
  /// How many processes take turns.
  let forks: Int

  var estimatedSeconds: Double { trials.reduce(0) { $0 + $1.estimatedSeconds } }

  /// What finding capacities takes before the first trial, about.
  var searchSeconds: Double {
    CapacitySearch.trials(of: trials).joined().reduce(0) { $0 + $1.estimatedSeconds }
  }

  /// Whether operations are due at given times.
  var hasOpenLoops: Bool { trials.contains { $0.pace.mode == .open } }

  /// Makes loads targets: finds the capacities that they are shares of.
  mutating func findCapacities(
    note: (String) -> Void,
    by run: (TrialSpecification) async throws(TrialFailure) -> TrialResult
  ) async throws(CommandError) {
    guard !trials.isEmpty else { return }
    trials = await CapacitySearch.resolve(trials, note: note, by: run)
    if trials.isEmpty {
      throw CommandError(status: .found, description: "no capacity was found")
    }
  }

  /// Checks the options that choose what is measured; the error is one line that lists what is allowed.
  init(
    _ options: RunOptions, usableCores: Int, drawnSeed: Seed
  ) throws(CommandError) {
    let options = try options.filledByProfile()
    let collections = try Selection.collections(options.collection)
    let contestants = try Selection.contestants(options, of: collections)
    let workloads = try Selection.keyed(Selection.workloads(options, for: collections), options)
    let driver = try Selection.driver(options)
    var threads = try Self.threads(options, usableCores: usableCores)
    if let workers = workloads.first?.workers { threads = [workers] }
    let sizes = try OptionText("--size", options.size, allowed: 1...10_000_000)
      .numbers(otherwise: [StandardMatrix.size])
    let forks = try OptionText("--forks", options.forks, allowed: 1...1000).number(otherwise: 1)
    let standard = options.quick ? StandardMatrix.quickTrials : StandardMatrix.trials
    let trials = try OptionText("--trials", options.trials, allowed: 1...1000)
      .number(otherwise: max(standard, forks))
    guard forks <= trials else {
      throw .usage("--forks \(forks) (allowed: at most as many as --trials, which is \(trials))")
    }
    let seconds = try OptionText("--seconds", options.seconds, allowed: 1...3600)
      .seconds(otherwise: options.quick ? StandardMatrix.quickSeconds : StandardMatrix.seconds)

    let paces = try PaceOptions.paces(options, seconds: seconds)

    seed = try Seed(option: options.seed, otherwise: drawnSeed)
    isQuick = options.quick
    self.forks = forks
    let plan = TrialPlan(
      contestants: contestants, workloads: workloads, threads: threads, sizes: sizes,
      trials: trials, forks: forks, seed: seed,
      warmupSeconds: StandardMatrix.warmupSeconds(forSeconds: seconds), seconds: seconds,
      paces: paces)
    let everything =
      options.threads != nil || options.roles != nil || options.backend != nil || options.quick
    let asked = plan.specifications.compactMap { $0.driven(by: driver) }.filter { trial in
      everything
        || StandardMatrix.includes(
          trial.contestant.kind, threads: trial.threads, usableCores: usableCores)
    }
    if asked.isEmpty {
      let isPaced = paces != [.closed]
      if isPaced, !contestants.contains(where: \.isPaceable) { throw PaceOptions.nothingPaceable }
      throw Selection.nothingToRun(contestants, workloads, driver)
    }
    let shard = try Self.shard(options)
    let budget = try TimeBudget(option: options.timeBudget)
    let whole =
      try budget?.leaving(
        asked, shards: shard?.count ?? 1, usableCores: usableCores,
        keepsContestants: options.backend != nil) ?? asked
    leftOut = budget.map { _ in PlanRemainder(larger: asked, smaller: whole).text }
    self.whole = whole
    self.shard = shard
    self.trials = try shard?.part(of: whole) ?? whole
  }

  /// The trials of whole plans of one seed and as many processes, taken in turns: a slow minute of the machine then
  /// does not fall on one plan alone.
  ///
  /// - Precondition: there is at least one.
  init(joining plans: [RunPlan]) {
    let all = plans.flatMap(\.trials)
    trials = Dictionary(grouping: all, by: \.number).sorted { $0.key < $1.key }.flatMap(\.value)
    whole = trials
    shard = nil
    leftOut = nil
    seed = plans[0].seed
    isQuick = plans[0].isQuick
    forks = plans[0].forks
  }

  /// The same plan with only these of its trials left to make.
  func making(_ trials: [TrialSpecification]) -> RunPlan {
    var plan = self
    plan.trials = trials
    return plan
  }

  /// What must be made again the same way needs to know the seed.
  private static func shard(_ options: RunOptions) throws(CommandError) -> Shard? {
    for (flag, isThere) in [("--shard", options.shard != nil), ("--resume", options.resume)]
    where isThere && options.seed == nil {
      throw .usage("\(flag) needs the seed of the plan (allowed: \(flag) with --seed NUMBER)")
    }
    return try Shard(option: options.shard)
  }

  private static func threads(
    _ options: RunOptions, usableCores: Int
  ) throws(CommandError) -> [Int] {
    let isOpen = try PaceOptions.isOpen(options)
    return try OptionText("--threads", options.threads, allowed: 1...1024).numbers(
      otherwise: isOpen
        ? StandardMatrix.openLoopThreads(usableCores: usableCores, isQuick: options.quick)
        : options.quick
          ? StandardMatrix.quickThreads : StandardMatrix.threads(usableCores: usableCores))
  }
}
