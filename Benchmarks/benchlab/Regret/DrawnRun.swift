import BenchmarkCommands
import Benchmarking
import Charts
import Choosing
import Foundation
import Measurements
import Primitives
import SeededRandom
import TerminalIO
import WeakCollections
import Workloads

/// Random profiles, and the runs of `weakbench` that measure every backend on each.
///
/// A round measures every profile once, each in a separate process. A slow minute of the machine
/// then affects several profiles.
struct DrawnRun: Sendable {
  static let profiles = 40
  static let trials = 6
  static let seconds = 0.2

  /// One call of `weakbench run`: all backends on one profile, with one trial each.
  struct Step: Sendable {
    var arguments: [String]
    var trials: Int
  }

  let profiles: [WorkloadProfile]
  let steps: [Step]
  let trialCount: Int
  private let secondsOfTrial: Double

  /// Draws profiles within the range that `calibration` covers on this machine.
  init(_ options: RegretOptions, _ calibration: Calibration) throws(CommandError) {
    let count = try OptionText("--draw", options.draw, allowed: 1...1000)
      .number(otherwise: Self.profiles)
    let rounds = try OptionText("--trials", options.trials, allowed: 4...1000)
      .number(otherwise: Self.trials)
    let seconds = try OptionText("--seconds", options.seconds, allowed: 1...3600)
      .seconds(otherwise: Self.seconds)
    let seed = try Seed(option: options.seed, otherwise: .fixed)
    var draw = try ProfileDraw(calibration, key: .current, seed: seed)
    profiles = try draw.profiles(count)
    var steps: [Step] = []
    for round in 1...rounds {
      for profile in profiles {
        let backends = Backend.supporting(profile.collection)
        var arguments = [
          "run", "--collection", profile.collection.rawValue,
          "--backend", backends.map(\.rawValue).joined(separator: ","),
          "--mix", "\(try profile.wholeMix())", "--threads", "\(profile.threads)",
          "--entries", "\(profile.entries)", "--trials", "1", "--seconds", "\(seconds)",
          "--seed", "\(seed.derived(for: .trial, index: round))", "--no-progress",
        ]
        if options.build.allowUnoptimized { arguments.append("--allow-unoptimized") }
        steps.append(Step(arguments: arguments, trials: backends.count))
      }
    }
    self.steps = steps
    trialCount = steps.reduce(0) { $0 + $1.trials }
    secondsOfTrial = seconds
  }

  /// The estimated duration: trials with their warm-ups, and about half a second for each process
  /// to start and measure its own costs.
  var estimatedSeconds: Double { steps.reduce(0) { $0 + seconds(of: $1) } }

  private func seconds(of step: Step) -> Double {
    0.5 + Double(step.trials)
      * (secondsOfTrial + StandardMatrix.warmupSeconds(forSeconds: secondsOfTrial))
  }

  /// The summary of the plan, for `--dry-run`.
  var text: String {
    "\(NumberText.count(profiles.count)) profiles, \(NumberText.count(trialCount)) trials, about "
      + NumberText.duration(seconds: estimatedSeconds)
  }

  /// Measures the profiles, and writes the rows to `file`.
  ///
  /// The rows of finished trials are in the file, even if the program is killed.
  ///
  /// - Returns: The number of runs of `weakbench` with failed trials.
  func measure(into file: OutputDestination, drawsProgress: Bool) throws(CommandError) -> Int {
    try file.check(unless: ["--force"])
    let program = try Self.weakbench()
    let path = file.name
    Console.note("\(text); rows go to \(path)")
    var left = TimeLeft(estimatedSeconds: estimatedSeconds)
    let start = ContinuousClock.now
    var failures = 0
    for (done, step) in steps.enumerated() {
      if drawsProgress {
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let bar = ProgressBar(
          done: done, total: steps.count, secondsLeft: left.seconds(afterElapsed: elapsed),
          label: step.arguments[2])
        Terminal.draw(bar.text(width: Terminal.width))
      }
      var arguments = step.arguments + ["--csv", path]
      if done > 0 { arguments.append("--append") }
      if case .replacing = file, done == 0 { arguments.append("--force") }
      let (status, errors) = try Self.run(program, arguments)
      if drawsProgress { Terminal.clearLine() }
      switch status {
      case ExitStatus.fine.rawValue: break
      case ExitStatus.found.rawValue:
        failures += 1
        Console.writeError(errors)
      default:
        Console.writeError(errors)
        throw .failed("weakbench exited with status \(status); see its messages above")
      }
      left.finish(estimatedSeconds: seconds(of: step))
    }
    return failures
  }

  /// Returns the program that the variable WEAKBENCH names, or the one next to this program, which
  /// a build makes from the same sources.
  private static func weakbench() throws(CommandError) -> URL {
    if let path = ProcessInfo.processInfo.environment["WEAKBENCH"] {
      return URL(fileURLWithPath: path)
    }
    let own = URL(fileURLWithPath: TrialProcess.thisProgram).resolvingSymlinksInPath()
    let program = own.deletingLastPathComponent().appendingPathComponent("weakbench")
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw .failed(
        "\(program.path) does not exist; run `swift build -c release --product weakbench`, or set "
          + "the variable WEAKBENCH to its path")
    }
    return program
  }

  /// Runs the program and returns its exit status and its text on standard error.
  private static func run(
    _ program: URL, _ arguments: [String]
  ) throws(CommandError) -> (status: Int32, errors: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe()
    process.standardError = errors
    do { try process.run() } catch {
      throw .failed("weakbench cannot be started: \(error.localizedDescription)")
    }
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}

/// A source of random profiles within the measured range, but off the measured points.
struct ProfileDraw {
  private let key: CalibrationKey
  private let model: CostModel
  private var generator: SplitMix64

  /// Creates a source for the environment `key`.
  ///
  /// - Throws: An error with status 4 if the calibration does not cover `key`.
  init(_ calibration: Calibration, key: CalibrationKey, seed: Seed) throws(CommandError) {
    guard let model = calibration.model(for: key) else {
      throw CommandError(
        status: .outsideMeasured,
        description: "the calibration does not cover \(key); measure on this machine with "
          + "`weakbench run`, and pass --calibration")
    }
    self.key = key
    self.model = model
    generator = SplitMix64(seed: seed.value)
  }

  /// Draws `count` distinct profiles within the measured range.
  ///
  /// Each collection with measured mixes is equally likely. A profile has a mix between two
  /// measured mixes. Its numbers of threads and entries are drawn from the measured range,
  /// uniformly by their logarithms.
  ///
  /// - Throws: An error with status 4 if there are not enough such profiles.
  mutating func profiles(_ count: Int) throws(CommandError) -> [WorkloadProfile] {
    var found: [WorkloadProfile] = []
    // Most draws are within the range. The bound ends the search if hardly any draw can be.
    for _ in 0..<1000 * count where found.count < count {
      guard let profile = try draw(), !found.contains(profile),
        model.answer(to: profile)?.excess.isWithin == true
      else { continue }
      found.append(profile)
    }
    guard found.count == count else {
      throw CommandError(
        status: .outsideMeasured,
        description: "only \(found.count) of \(count) profiles are within the measured range; "
          + "pass a smaller --draw, or a larger calibration")
    }
    return found
  }

  /// Draws one profile, or returns `nil` if there is no measured mix.
  private mutating func draw() throws(CommandError) -> WorkloadProfile? {
    let mixes = model.costs.map(\.point).filter(\.isPureMix)
    let collections = CollectionKind.allCases.filter { kind in
      mixes.contains { $0.collection == kind }
    }
    guard let collection = collections.randomElement(using: &generator) else { return nil }
    let points = mixes.filter { $0.collection == collection }
    let one = points.randomElement(using: &generator)!.shares
    let other = points.randomElement(using: &generator)!.shares
    let shares = one.mixed(with: other, fraction: Double.random(in: 0...1, using: &generator))
    let profile = WorkloadProfile(
      collection: collection, shares: shares, threads: number(between: points.map(\.threads)),
      cores: key.cores, entries: number(between: points.map(\.entries)), synchronousOnly: false)
    // The conversion rounds the shares to whole percentages, which `weakbench run` accepts.
    var whole = profile
    whole.shares = OperationShares(try profile.wholeMix())
    return whole
  }

  /// Draws a number from the measured range, which extends half a doubling beyond the measured
  /// numbers.
  private mutating func number(between measured: [Int]) -> Int {
    let logarithms = measured.map { log2(Double($0)) }
    let range = max(0, logarithms.min()! - 0.5)...(logarithms.max()! + 0.5)
    return max(1, Int(exp2(Double.random(in: range, using: &generator)).rounded(.down)))
  }
}

extension OperationShares {
  fileprivate func mixed(with other: OperationShares, fraction: Double) -> OperationShares {
    func between(_ one: Double, _ two: Double) -> Double { one * (1 - fraction) + two * fraction }
    return OperationShares(
      read: between(read, other.read), insert: between(insert, other.insert),
      update: between(update, other.update), remove: between(remove, other.remove),
      iterate: between(iterate, other.iterate))
  }
}

extension WorkloadProfile {
  /// Returns the shares in whole percentages, as in a profile's file and for `weakbench run --mix`.
  func wholeMix() throws(CommandError) -> OperationMix {
    let percents = shares.wholePercents ?? [:]
    do {
      return try OperationMix(
        read: percents["read"] ?? 0, insert: percents["insert"] ?? 0,
        update: percents["update"] ?? 0, remove: percents["remove"] ?? 0,
        iterate: percents["iterate"] ?? 0)
    } catch {
      throw .failed("the mix of a random profile is invalid: \(error); report this as a bug")
    }
  }
}
