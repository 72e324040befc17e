import BenchmarkCommands
import Benchmarking
import Charts
import Choosing
import Foundation
import Measurements
import Primitives
import SeededRandom
import Synchronization
import TerminalIO
import WeakCollections
import Workloads

/// Profiles that were drawn, and the runs of `weakbench` that measure every backend on each.
///
/// A round measures every profile once, each in a process of its own, so that a slow minute of the machine does
/// not fall on one profile alone.
struct DrawnRun: Sendable {
  static let profiles = 40
  static let trials = 6
  static let seconds = 0.2

  /// One start of `weakbench run`: all backends on one profile, one trial each.
  struct Step: Sendable {
    var arguments: [String]
    var trials: Int
  }

  let profiles: [WorkloadProfile]
  let steps: [Step]
  let trialCount: Int
  private let secondsOfTrial: Double

  /// Draws within what `calibration` has of this machine.
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
          "--size", "\(profile.size)", "--trials", "1", "--seconds", "\(seconds)",
          "--seed", "\(seed.derived(for: .trial, index: round))", "--no-progress",
        ]
        if options.allowUnoptimized { arguments.append("--allow-unoptimized") }
        steps.append(Step(arguments: arguments, trials: backends.count))
      }
    }
    self.steps = steps
    trialCount = steps.reduce(0) { $0 + $1.trials }
    secondsOfTrial = seconds
  }

  /// A trial with its warm-up, and about half a second for each process to start and measure its own costs.
  var estimatedSeconds: Double { steps.reduce(0) { $0 + seconds(of: $1) } }

  private func seconds(of step: Step) -> Double {
    0.5 + Double(step.trials)
      * (secondsOfTrial + StandardMatrix.warmupSeconds(forSeconds: secondsOfTrial))
  }

  /// For `--dry-run`.
  var text: String {
    "\(NumberText.count(profiles.count)) profiles, \(NumberText.count(trialCount)) trials, about "
      + NumberText.duration(seconds: estimatedSeconds)
  }

  /// Measures into `file`, the noise floor first; returns how many runs of `weakbench` failed.
  ///
  /// The rows of finished trials stay in the file, whatever ends the program.
  func measure(into file: OutputDestination, drawsProgress: Bool) throws(CommandError) -> Int {
    try file.check()
    let noise = try file.beside(ending: NoiseFile.ending, option: "regret")
    try noise.check()
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
      if done == 0 { arguments.append("--noise-floor") }
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
        throw .failed("weakbench ended with status \(status)")
      }
      left.finish(estimatedSeconds: seconds(of: step))
    }
    return failures
  }

  /// The program beside this one, which one build makes of the same sources, or the one that WEAKBENCH names.
  private static func weakbench() throws(CommandError) -> URL {
    if let path = ProcessInfo.processInfo.environment["WEAKBENCH"] {
      return URL(fileURLWithPath: path)
    }
    let own = URL(fileURLWithPath: ForkedProcess.thisProgram).resolvingSymlinksInPath()
    let program = own.deletingLastPathComponent().appendingPathComponent("weakbench")
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw .failed("there is no weakbench beside this program; build it, or name it in WEAKBENCH")
    }
    return program
  }

  /// Waits for the program to end; what it prints on standard error is returned.
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

/// Profiles drawn within what was measured, and off its points.
struct ProfileDraw {
  private let key: CalibrationKey
  private let model: CostModel
  private var generator: SplitMix64

  /// - Precondition: there are measurements for `key`.
  init(_ calibration: Calibration, key: CalibrationKey, seed: Seed) throws(CommandError) {
    guard let model = calibration.model(for: key) else {
      throw CommandError(
        status: .outsideMeasured, description: "nothing was measured on \(key) to draw within")
    }
    self.key = key
    self.model = model
    generator = SplitMix64(seed: seed.value)
  }

  /// Of collections with measured mixes, each as often: a mix between two of them, and threads and a size between
  /// those measured, by their logarithms. All can be run, and are different.
  mutating func profiles(_ count: Int) throws(CommandError) -> [WorkloadProfile] {
    var found: [WorkloadProfile] = []
    // Of what is drawn, most is within; this only ends the search where next to nothing can be.
    for _ in 0..<1000 * count where found.count < count {
      guard let profile = try draw(), !found.contains(profile),
        model.answer(to: profile)?.excess.isWithin == true
      else { continue }
      found.append(profile)
    }
    guard found.count == count else {
      throw CommandError(
        status: .outsideMeasured,
        description: "\(found.count) of \(count) profiles lie within what was measured")
    }
    return found
  }

  /// Nil if there is no mix to draw.
  private mutating func draw() throws(CommandError) -> WorkloadProfile? {
    let mixes = model.costs.map(\.point).filter(\.isPureMix)
    let collections = CollectionKind.allCases.filter { kind in
      mixes.contains { $0.collection == kind }
    }
    guard let collection = collections.randomElement(using: &generator) else { return nil }
    let points = mixes.filter { $0.collection == collection }
    let one = points.randomElement(using: &generator)!.shares
    let other = points.randomElement(using: &generator)!.shares
    let shares = one.mixed(with: other, part: Double.random(in: 0...1, using: &generator))
    let profile = WorkloadProfile(
      collection: collection, shares: shares, threads: number(between: points.map(\.threads)),
      cores: key.cores, size: number(between: points.map(\.size)), synchronousOnly: false)
    // Written and read, it has the whole per cent that can be run.
    var whole = profile
    whole.shares = OperationShares(try profile.wholeMix())
    return whole
  }

  /// Half a doubling beyond the measured ones counts as measured.
  private mutating func number(between measured: [Int]) -> Int {
    let logarithms = measured.map { log2(Double($0)) }
    let range = max(0, logarithms.min()! - 0.5)...(logarithms.max()! + 0.5)
    return max(1, Int(exp2(Double.random(in: range, using: &generator)).rounded(.down)))
  }
}

extension OperationShares {
  fileprivate func mixed(with other: OperationShares, part: Double) -> OperationShares {
    func between(_ one: Double, _ two: Double) -> Double { one * (1 - part) + two * part }
    return OperationShares(
      read: between(read, other.read), insert: between(insert, other.insert),
      update: between(update, other.update), remove: between(remove, other.remove),
      iterate: between(iterate, other.iterate))
  }
}

extension WorkloadProfile {
  /// The shares in whole percent, as a file of the profile has them and `weakbench run --mix` takes them.
  func wholeMix() throws(CommandError) -> OperationMix {
    struct File: Decodable { var shares: [String: Int] }
    do {
      let shares = try JSONDecoder().decode(File.self, from: json).shares
      return try OperationMix(
        read: shares["read"] ?? 0, insert: shares["insert"] ?? 0, update: shares["update"] ?? 0,
        remove: shares["remove"] ?? 0, iterate: shares["iterate"] ?? 0)
    } catch {
      throw .failed("a drawn profile has no mix that can be run: \(error)")
    }
  }
}
