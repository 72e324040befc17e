import Benchmarking
import Foundation
import Measurements
import TerminalIO
import Workloads

/// The JDK's `ConcurrentHashMap`, measured by a separate process for each trial.
///
/// The process reads a file with the same keys and operations as the workers of the other
/// contestants have. It warms up its compiler, and prints one line.
struct JavaDriver: Sendable {
  private let program: JavaProgram
  private let warmupSeconds: Double

  /// Creates a driver; throws a usage error for a folder without it.
  init(folder: String, warmupSeconds: Double) throws(CommandError) {
    program = try JavaProgram("Driver", folder: folder)
    self.warmupSeconds = warmupSeconds
  }

  func probes(_ timing: LimitTiming) -> [LimitProbe] {
    LimitCatalog.dictionaryRows.map { row in
      let figure = LimitCatalog.dictionaryFigure(LimitCatalog.jdk, row.workload)
      return LimitProbe(
        for: [row.limit], figures: [figure], estimatedSeconds: warmupSeconds + timing.seconds + 0.4
      ) { seed in
        [figure: try time(row.workload, timing, seed)]
      }
    }
  }

  /// Returns the nanoseconds per operation of all threads together.
  private func time(
    _ workload: Workload, _ timing: LimitTiming, _ seed: Seed
  ) throws(CommandError) -> Double {
    let path = FileManager.default.temporaryDirectory.path + "/weakbench-\(getpid())-jdk.txt"
    defer { unlink(path) }
    let file = try OutputFile(opening: OutputDestination(replacing: path))
    try file.write(Self.input(workload, timing, seed, warmupSeconds: warmupSeconds))
    let numbers = try program.numbers(4, arguments: [path])
    guard numbers[0] > 0, numbers[1] > 0 else {
      throw .failed("jdk \(workload.name): no operation was finished; run longer trials")
    }
    let findsEverything = workload.behavior != .turningOver
    guard numbers[3] == 0, !findsEverything || numbers[2] == 0 else {
      throw .failed(
        "jdk \(workload.name): \(numbers[2]) keys were not found, and \(numbers[3]) values "
          + "belonged to other keys")
    }
    return Double(numbers[1]) / Double(numbers[0])
  }

  /// Returns the input of the driver, whose `main` documents the order.
  private static func input(
    _ workload: Workload, _ timing: LimitTiming, _ seed: Seed, warmupSeconds: Double
  ) -> String {
    let entries = LimitCatalog.keys
    let tables = WorkerTables.all(for: workload, threads: 2, entries: entries, seed: seed)
    let head = [
      tables.count, workload.keyRange(forEntries: entries), workload.prefill(forEntries: entries),
      workload.behavior == .turningOver ? 1 : 0, Int(warmupSeconds * 1000),
      Int(timing.seconds * 1000),
    ]
    let workers = tables.map { table in
      let operations = table.operations.map(number)
      return ([table.keys.count] + table.keys + [operations.count] + operations)
        .map { "\($0)" }.joined(separator: " ")
    }
    return ([head.map { "\($0)" }.joined(separator: " ")] + workers).joined(separator: "\n") + "\n"
  }

  private static func number(of operation: OperationKind) -> Int {
    switch operation {
    case .read: 0
    case .insert: 1
    case .remove: 2
    case .update, .iterate:
      fatalError(
        "the Java driver has no operation '\(operation.rawValue)'; remove it from the workload")
    }
  }
}
