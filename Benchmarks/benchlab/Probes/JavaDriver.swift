import Benchmarking
import Foundation
import Measurements
import TerminalIO
import Workloads

/// The JDK's `ConcurrentHashMap`, measured by a separate process for each trial.
///
/// The process gets the same keys and operations as the other workers, in a file, warms its
/// compiler up, and prints one line.
struct JavaDriver: Sendable {
  private let folder: String
  private let warmupSeconds: Double

  /// Creates a driver; throws a usage error for a folder without it.
  init(folder: String, warmupSeconds: Double) throws(CommandError) {
    guard FileManager.default.fileExists(atPath: "\(folder)/Driver.class") else {
      throw .usage("--jdk \(folder.quotedOnOneLine) (allowed: a folder with Driver.class)")
    }
    self.folder = folder
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
    let command = ["-XX:+UseParallelGC", "-cp", folder, "Driver", path].map(\.quotedForShell)
    let answer = Self.output(of: "exec java \(command.joined(separator: " "))")
    let numbers = answer.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 4, numbers[0] > 0, numbers[1] > 0 else {
      throw .failed(
        "the Java driver printed \(answer.quotedOnOneLine) instead of four figures; "
          + "compile it again with scripts/limits")
    }
    let findsEverything = workload.behaviour != .turningOver
    guard numbers[3] == 0, !findsEverything || numbers[2] == 0 else {
      throw .failed(
        "jdk \(workload.name): \(Int(numbers[2])) keys were not found, and \(Int(numbers[3])) values "
          + "belonged to other keys")
    }
    return numbers[1] / numbers[0]
  }

  /// Returns the driver's input; its `main` documents the order.
  private static func input(
    _ workload: Workload, _ timing: LimitTiming, _ seed: Seed, warmupSeconds: Double
  ) -> String {
    let size = LimitCatalog.keys
    let tables = WorkerTables.all(for: workload, threads: 2, size: size, seed: seed)
    let head = [
      tables.count, workload.keyRange(forSize: size), workload.prefill(forSize: size),
      workload.behaviour == .turningOver ? 1 : 0, Int(warmupSeconds * 1000),
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
      preconditionFailure(
        "the Java driver has no operation '\(operation.rawValue)'; remove it from the workload")
    }
  }

  /// Runs the command and returns its standard output; empty if it cannot run.
  private static func output(of command: String) -> String {
    guard let stream = popen(command, "r") else { return "" }
    defer { pclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = fread(&bytes, 1, bytes.count, stream)
    return String(decoding: bytes[..<count], as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
  }
}
