import Benchmarking
import Measurements
import TerminalIO
import WeakCollections

/// A map that `loop` times. The loop draws keys and operations while it is timed.
enum LoopContestant: Sendable {
  case dictionary(Contestant)
  case jdk(JavaLoop)

  /// Returns the contestants of this build: our backends, the maps of C++ and Java, the baselines.
  ///
  /// - Parameter jdk: The folder of the compiled Java programs, or `nil` without the JDK.
  static func all(jdk: String?) throws(CommandError) -> [LoopContestant] {
    let own = Contestant.all(for: .dictionary).filter(DrawLoopTrial.supports)
    let java = try jdk.map { folder throws(CommandError) in
      try JavaLoop.all(JavaProgram("Loop", folder: folder))
    }
    return own.filter { $0.kind != .baseline }.map(LoopContestant.dictionary)
      + (java ?? []).map(LoopContestant.jdk)
      + own.filter { $0.kind == .baseline }.map(LoopContestant.dictionary)
  }

  var name: String {
    switch self {
    case .dictionary(let contestant): contestant.name
    case .jdk(let loop): loop.name
    }
  }

  /// Returns whether the contestant can fill a column.
  func supports(_ cell: LoopCell) -> Bool {
    switch self {
    case .dictionary(let contestant):
      cell.batch == 1 || DrawLoopTrial.supportsBatches(contestant)
    case .jdk: cell.batch == 1
    }
  }

  func run(_ trial: DrawLoopTrial) async throws -> DrawLoopReport {
    switch self {
    case .dictionary(let contestant): try await trial.run(contestant)
    case .jdk(let loop): try loop.run(trial)
    }
  }

  /// The estimated duration of a trial.
  func estimatedSeconds(_ trial: DrawLoopTrial) -> Double {
    let filling = Double(trial.entries) * 5e-7
    switch self {
    case .dictionary: return trial.warmupSeconds + trial.seconds + filling
    case .jdk: return JavaLoop.warmupSeconds(trial) + trial.seconds + filling + 0.3
    }
  }
}

/// The JDK's `ConcurrentHashMap` in the same loop. A separate process runs each trial.
struct JavaLoop: Sendable {
  let name: String
  private let program: JavaProgram
  /// Whether keys are boxed before the clock starts, one object per key.
  private let hasBoxes: Bool

  static func all(_ program: JavaProgram) -> [JavaLoop] {
    [
      JavaLoop(name: LimitCatalog.jdk, program: program, hasBoxes: false),
      JavaLoop(name: "\(LimitCatalog.jdk)-boxed-keys", program: program, hasBoxes: true),
    ]
  }

  /// The JVM's compiler needs some time to detect hot code.
  static func warmupSeconds(_ trial: DrawLoopTrial) -> Double { max(1, trial.warmupSeconds) }

  func run(_ trial: DrawLoopTrial) throws(CommandError) -> DrawLoopReport {
    let arguments: [UInt64] =
      [
        UInt64(trial.entries), UInt64(trial.replacePercent), hasBoxes ? 1 : 0,
        UInt64(Self.warmupSeconds(trial) * 1000), UInt64(trial.seconds * 1000),
        UInt64(trial.operationLimit ?? 0),
      ] + trial.drawSeeds
    // Five times the bytes of the map, so that the heap does not grow while the loop is timed.
    let heap = "-Xms\(max(384, trial.entries / 2048))m"
    let numbers = try program.numbers(
      4 * trial.threads + 1, options: [heap], arguments: arguments.map { "\($0)" })
    let workers = (0..<trial.threads).map { index in
      let figures = numbers[(4 * index)..<(4 * index + 4)].map { $0 }
      return DrawLoopReport.Worker(
        operations: Int(figures[0]), nanoseconds: Int(figures[1]), sum: figures[2],
        misses: Int(figures[3]))
    }
    return DrawLoopReport(workers: workers, wrongKeys: Int(numbers[4 * trial.threads]))
  }
}
