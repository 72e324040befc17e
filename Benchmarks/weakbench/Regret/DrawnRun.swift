import ArgumentParser
import Benchmarking
import Choosing
import Primitives
import Reporting
import WeakCollections
import Workloads

/// Profiles that were drawn, and the run that measures every backend on each.
struct DrawnRun {
  static let profiles = 40
  static let trials = 6
  static let seconds = 0.2

  let plan: RunPlan
  private let options: RunOptions

  /// Draws within what `calibration` has of this machine.
  init(_ options: RegretOptions, _ calibration: Calibration) throws(CommandError) {
    let count = try OptionText("--draw", options.draw, allowed: 1...1000)
      .number(otherwise: Self.profiles)
    let trials = try OptionText("--trials", options.trials, allowed: 4...1000)
      .number(otherwise: Self.trials)
    let seed = try Seed(option: options.seed, otherwise: .fixed)
    var draw = try ProfileDraw(calibration, key: .current, seed: seed)
    var runs: [RunOptions] = []
    for profile in try draw.profiles(count) {
      let mix = try ProfileFile(profile.json, path: "a drawn profile").shares
      var run = try Self.parsed()
      run.collection = profile.collection.rawValue
      run.backend = Backend.supporting(profile.collection).map(\.rawValue).joined(separator: ",")
      run.mix = mix.map { "\($0)" }
      run.threads = "\(profile.threads)"
      run.size = "\(profile.size)"
      run.trials = "\(trials)"
      run.forks = "\(trials)"
      run.seconds = options.seconds ?? "\(Self.seconds)"
      run.seed = "\(seed)"
      run.csv = options.csv
      run.force = options.force
      runs.append(run)
    }
    var plans: [RunPlan] = []
    for run in runs {
      plans.append(try RunPlan(run, usableCores: Host.usableCores, drawnSeed: seed))
    }
    plan = RunPlan(joining: plans)
    self.options = runs[0]
  }

  /// What `run` takes without options.
  private static func parsed() throws(CommandError) -> RunOptions {
    do { return try RunOptions.parse([]) } catch { throw .usage("\(error)") }
  }

  /// Measures, the noise floor first, and ends the program: by `end` once all is measured.
  func run(
    drawsProgress: Bool, end: @escaping @Sendable (_ file: String, _ failures: Int) -> Never
  ) async throws -> Never {
    let start = UTCTime.now
    let destination = try OutputDestination(
      options, defaultName: "weakbench-regret-\(start.compact).csv")
    let noise = try destination.beside(ending: NoiseFile.ending, option: "regret")
    try destination.check()
    try noise.check()
    await Preamble.announce(plan, destination)
    let run = MeasuringRun(
      plan: plan, whole: plan, environment: EnvironmentProbe.environment(machine: nil),
      destination: destination, noise: noise,
      drawsProgress: drawsProgress && Terminal.isFree(of: destination))
    let total = plan.trials.count
    try await run.run(from: start) { rows, failures, status in
      if status == .fine || status == .found { end(destination.name, failures) }
      RunEnding(total: total, destination: destination, page: nil, isQuick: false, details: false)
        .exit(rows, failures: failures, as: status)
    }
  }
}
