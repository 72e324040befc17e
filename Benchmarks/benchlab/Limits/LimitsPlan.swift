import BenchmarkCommands
import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting
import SeededRandom
import Workloads

/// What a run of `limits` will do, once every option is known to be allowed; nothing has been opened yet.
struct LimitsPlan: Sendable {
  struct Trial: Sendable {
    let probe: LimitProbe
    let seed: Seed
  }

  static let leastTrials = 5

  let limits: [Limit]
  /// Round by round, each in an order of its own.
  let trials: [Trial]
  let rounds: Int
  let timing: LimitTiming
  let seed: Seed
  let isQuick: Bool
  let format: LimitsReport.Format
  let output: OutputDestination
  /// Everything that is to be measured, in the order of the tables.
  let figures: [Figure]

  init(_ options: LimitsOptions, drawnSeed: Seed) throws(CommandError) {
    let names = try Self.names(options.only)
    isQuick = options.quick
    let seconds = try OptionText("--seconds", options.seconds, allowed: 1...3600)
      .seconds(otherwise: isQuick ? 0.02 : 0.4)
    rounds = try OptionText(
      "--trials", options.trials, allowed: (isQuick ? 1 : Self.leastTrials)...1000
    ).number(otherwise: isQuick ? 1 : Self.leastTrials)
    seed = try Seed(option: options.seed, otherwise: drawnSeed)
    guard let format = LimitsReport.Format(rawValue: options.format) else {
      throw .unknown(
        "format", options.format, allowed: LimitsReport.Format.allCases.map(\.rawValue))
    }
    self.format = format
    output = options.output.map { OutputDestination(replacing: $0) } ?? .standardOutput
    try output.check()
    timing = LimitTiming(seconds: seconds, warmupSeconds: seconds / 4)
    limits = LimitCatalog.limits.filter { names.contains($0.name) }
    let probes =
      (LimitCatalog.probes(timing) + MonitorProbes.all(timing) + ChooserProbe.all(timing)
      + (try Self.jdkProbes(options.jdk, timing, isQuick: isQuick)))
      .filter { !$0.limits.allSatisfy { !names.contains($0) } }
    figures = (probes.flatMap(\.figures) + limits.flatMap(\.quantity.figures)).withoutRepetitions
    trials = Self.shuffled(probes, rounds: rounds, seed: seed)
  }

  var estimatedSeconds: Double { trials.reduce(0) { $0 + $1.probe.estimatedSeconds } }

  /// A slow minute of the machine then does not fall on one contestant alone, and an interrupted run has
  /// about as many trials of each. A round has one seed: all are compared on the same keys.
  private static func shuffled(_ probes: [LimitProbe], rounds: Int, seed: Seed) -> [Trial] {
    (1...rounds).flatMap { number in
      var round = probes.map {
        Trial(probe: $0, seed: seed.derived(for: .trial, index: number))
      }
      var order = SplitMix64(seed: seed.derived(for: .order, index: number))
      order.shuffle(&round)
      return round
    }
  }

  private static func names(_ text: String?) throws(CommandError) -> [String] {
    let allowed = LimitCatalog.names
    guard let text else { return allowed }
    let names = try OptionText.names(in: text, option: "--only", allowed: allowed)
    if let name = names.first(where: { !allowed.contains($0) }) {
      throw .unknown("limit", name, allowed: allowed)
    }
    return names
  }

  private static func jdkProbes(
    _ folder: String?, _ timing: LimitTiming, isQuick: Bool
  ) throws(CommandError) -> [LimitProbe] {
    guard let folder else { return [] }
    // The compiler of the JVM needs a while to see which code is hot.
    let driver = try JavaDriver(folder: folder, warmupSeconds: isQuick ? 0.1 : 1)
    return driver.probes(timing)
  }
}
