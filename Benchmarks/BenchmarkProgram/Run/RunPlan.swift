import BenchmarkCommands
import Benchmarking
import Charts
import Measurements
import Reporting
import TerminalIO
import WeakCollections
import Workloads

/// The trials of a run. Its initializer validates all options; no file is opened yet.
struct RunPlan: Sendable {
  private(set) var trials: [TrialSpecification] = []
  private let plan: TrialPlan
  private let usableCores: Int
  private let driver: Driver
  /// Whether only the trials of the standard matrix are wanted.
  private let isStandard: Bool
  let seed: Seed
  let isQuick: Bool
  /// Whether the distributions of latencies are wanted.
  private let keepsDistributions: Bool
  /// The number of sessions that share the trials.
  let sessions: Int
  /// The seconds between two sessions, in which the state of the machine may change.
  let pauseSeconds: Double
  /// The largest number of seconds for further sessions, of undecided comparisons only.
  private(set) var extraSeconds = 0.0

  var estimatedSeconds: Double { sessionSeconds + extraSeconds }

  private var sessionSeconds: Double {
    trials.reduce(Double(sessions - 1) * pauseSeconds) { $0 + $1.estimatedSeconds }
  }

  /// Returns the trials of one more session: those whose comparison is undecided, if they fit into
  /// `seconds`. Which ones fit is drawn, and does not depend on their values.
  ///
  /// - Parameters:
  ///   - session: The number of the session.
  ///   - rows: The rows of the run so far.
  func trials(ofExtraSession session: Int, after rows: [Measurement], within seconds: Double)
    -> [TrialSpecification]
  {
    let open = Set(StoppingRule.open(in: rows).map(\.configuration))
    let last = trials.last?.number ?? 0
    let trials = selected(plan.repetition(last + session - sessions, session: session))
      .filter { open.contains($0.configuration) }
    // Whole comparisons: one side without the other decides nothing.
    let cells = Dictionary(grouping: trials, by: \.cell)
    var secondsLeft = seconds
    return trials.map(\.cell).withoutRepetitions.prefix { cell in
      secondsLeft -= cells[cell, default: []].reduce(0) { $0 + $1.estimatedSeconds }
      return secondsLeft >= 0
    }.flatMap { cells[$0, default: []] }
  }

  private func selected(_ trials: [TrialSpecification]) -> [TrialSpecification] {
    let driven = trials.compactMap { trial in
      var trial = trial
      trial.keepsDistributions = keepsDistributions
      return trial.driven(by: driver)
    }
    return driven.filter { trial in
      !isStandard
        || StandardMatrix.includes(
          trial.contestant, threads: trial.threads, usableCores: usableCores)
    }
  }

  /// The estimated duration of the search for capacities, before the first trial.
  var searchSeconds: Double {
    CapacitySearch.trials(of: trials).joined().reduce(0) { $0 + $1.estimatedSeconds }
  }

  /// Whether some trials are open loops.
  var hasOpenLoops: Bool { trials.contains { $0.pace.mode == .open } }

  /// The parts that the rows can have.
  var parts: Set<MeasurementCSV.Part> { Set(trials.flatMap(\.parts)) }

  /// Measures the capacities and converts loads, which are percentages of them, to targets.
  mutating func findCapacities(
    note: (String) -> Void,
    by run: (TrialSpecification) async throws(TrialFailure) -> TrialResult
  ) async throws(CommandError) {
    guard !trials.isEmpty else { return }
    trials = await CapacitySearch.resolve(trials, note: note, by: run)
    if trials.isEmpty {
      throw CommandError(
        status: .found,
        description: "no capacity was found, because every trial failed; see the failures above")
    }
  }

  /// Checks the options that select trials.
  ///
  /// - Throws: A usage error, whose one line lists the allowed values.
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
    let entries = try OptionText("--entries", options.entries, allowed: 1...10_000_000)
      .numbers(otherwise: [StandardMatrix.entries])
    let standard = options.quick ? StandardMatrix.quickTrials : StandardMatrix.trials
    let requestedSessions = try OptionText("--sessions", options.sessions, allowed: 1...1000)
      .number(otherwise: options.quick ? 1 : StandardMatrix.sessions)
    let trials = try OptionText("--trials", options.trials, allowed: 1...1000)
      .number(otherwise: max(standard, requestedSessions))
    let sessions = options.sessions == nil ? min(trials, requestedSessions) : requestedSessions
    guard sessions <= trials else {
      throw .usage(
        "--sessions \(sessions) (allowed: at most as many as --trials, which is \(trials))")
    }
    pauseSeconds = Double(
      try OptionText("--pause", options.pause, allowed: 0...3600)
        .number(otherwise: StandardMatrix.pauseSeconds))
    let seconds = try OptionText("--seconds", options.seconds, allowed: 1...3600)
      .seconds(otherwise: options.quick ? StandardMatrix.quickSeconds : StandardMatrix.seconds)

    let paces = try PaceOptions.paces(options, seconds: seconds)

    seed = try options.seed.seed(otherwise: drawnSeed)
    isQuick = options.quick
    keepsDistributions = options.histograms != nil
    self.sessions = sessions
    self.driver = driver
    self.usableCores = usableCores
    isStandard =
      options.threads == nil && options.roles == nil && options.backend == nil && !options.quick
    plan = TrialPlan(
      contestants: contestants, workloads: workloads, threads: threads, entries: entries,
      trials: trials, sessions: sessions, seed: seed,
      warmupSeconds: StandardMatrix.warmupSeconds(forSeconds: seconds), seconds: seconds,
      paces: paces)
    self.trials = selected(plan.specifications)
    if self.trials.isEmpty {
      let isPaced = paces != [.closed]
      if isPaced, !contestants.contains(where: \.isPaceable) { throw PaceOptions.nothingPaceable }
      throw Selection.nothingToRun(contestants, workloads, driver)
    }
    extraSeconds = try extraSeconds(options, isOpen: paces != [.closed])
  }

  private func extraSeconds(_ options: RunOptions, isOpen: Bool) throws(CommandError) -> Double {
    if isOpen {
      guard options.extra == nil else {
        throw .usage("--extra in an open loop, which has no winner (allowed: without --mode open)")
      }
      return 0
    }
    // Fewer sessions do not show how sessions differ.
    let isEnough = sessions >= StandardMatrix.sessions && !isQuick
    return Double(
      try OptionText("--extra", options.extra, allowed: 0...86_400)
        .number(otherwise: isEnough ? Int(StandardMatrix.extraFraction * sessionSeconds) : 0))
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

/// The search for the capacity of each configuration of an open loop.
///
/// The capacity is the rate of the same loop when every operation is due immediately, so that
/// workers never wait: the median of as many trials as the run has, at most three. The highest rate
/// at which intended times stay bounded is slightly below it, but a search for that rate would need
/// one trial per digit.
enum CapacitySearch {
  static let mostTrials = 3

  /// Returns the trials that measure the unknown capacities of a plan, by configuration.
  static func trials(of plan: [TrialSpecification]) -> [[TrialSpecification]] {
    let unknown = plan.filter(\.needsCapacity).map { trial in
      var trial = trial
      trial.pace = Measurement.Pace(mode: .open)
      return trial
    }.withoutRepetitions
    let groups = Dictionary(grouping: unknown, by: \.configuration)
    return unknown.map(\.configuration).withoutRepetitions.map {
      Array(groups[$0, default: []].sorted { $0.number < $1.number }.prefix(mostTrials))
    }
  }

  /// Returns the trials with their targets, and reports each capacity.
  ///
  /// Trials whose capacity was not found are reported and omitted.
  static func resolve(
    _ plan: [TrialSpecification], note: (String) -> Void,
    by run: (TrialSpecification) async throws(TrialFailure) -> TrialResult
  ) async -> [TrialSpecification] {
    var capacities: [Measurement.Configuration: Double] = [:]
    for group in trials(of: plan) {
      do {
        var rates: [Double] = []
        for trial in group { rates.append(try await run(trial).throughput.operationsPerSecond) }
        let capacity = Statistics.median(rates) ?? 0
        capacities[group[0].configuration] = capacity
        note(line(group[0], rates, capacity))
      } catch {
        note("failed: \(error); its open loops are omitted")
      }
    }
    return plan.compactMap { trial in
      guard trial.needsCapacity, let load = trial.pace.loadPercent else { return trial }
      var trial = trial
      trial.pace = Measurement.Pace(mode: .open)
      guard let capacity = capacities[trial.configuration] else { return nil }
      trial.pace = Measurement.Pace(
        mode: .open, targetOperationsPerSecond: target(ofCapacity: capacity, load: load),
        loadPercent: load)
      return trial
    }
  }

  /// Returns a percentage of a capacity, in whole operations per second and at least one.
  static func target(ofCapacity capacity: Double, load: Int) -> Double {
    max(1, (capacity * Double(load) / 100).rounded())
  }

  static func line(
    _ trial: TrialSpecification, _ rates: [Double], _ capacity: Double
  ) -> String {
    let spread = [rates.min() ?? capacity, rates.max() ?? capacity].map { NumberText.rate($0) }
    let range = rates.count > 1 ? ", \(spread[0]) to \(spread[1])" : ""
    return "capacity of \(trial.label): \(NumberText.rate(capacity)) operations/s "
      + "(\(NumberText.count(rates.count, "trial"))\(range))"
  }
}

extension TrialSpecification {
  /// The configuration without the backend: the same for all that compete.
  fileprivate var cell: Measurement.Configuration {
    var cell = configuration
    cell.backend = ""
    return cell
  }

  /// Whether the pace is a percentage of a capacity that is still unknown.
  fileprivate var needsCapacity: Bool {
    pace.loadPercent != nil && pace.targetOperationsPerSecond == nil
  }
}
