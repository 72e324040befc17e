import Foundation
import RuntimeInspection
import Testing

/// The time for which a snapshot of the heap stops a process with a million objects.
@Suite struct HeapPauseTests {
  private final class Loaded {
    let numbers = (1, 2, 3, 4)
  }

  @Test func `2.24 measure how long a snapshot of the heap stops a process`() async throws {
    let load = try HeapLoad()
    let weakLoad = try HeapLoad(arguments: ["weak"])
    let objects = (0..<1_000_000).map { _ in Loaded() }
    var table = Table([
      Row(
        "1,000,000 objects of this process: the pause",
        measuring: {
          Double(try Self.checked(HeapSnapshot.take()).pauseNanoseconds)
        }),
      Row("1,000,000 objects of this process: the whole snapshot", operations: 1) {
        _ = try HeapSnapshot.take()
      },
      Row("1,000,000 objects of this process: the whole snapshot, with paths", operations: 1) {
        _ = try HeapSnapshot.take(findsPaths: true)
      },
      Row(
        "1,000,000 objects of another process: the pause",
        measuring: {
          Double(try Self.checked(load.snapshot()).pauseNanoseconds)
        }),
      Row(
        "1,000,000 objects of another process: the pause, with paths",
        measuring: {
          Double(try Self.checked(load.snapshot(findsPaths: true)).pauseNanoseconds)
        }),
      Row(
        "the same, each with a weak reference, without paths: the pause",
        measuring: {
          Double(try Self.checked(weakLoad.snapshot()).pauseNanoseconds)
        }),
    ])
    try await table.run(rounds: 11)
    withExtendedLifetime(objects) { print(table.text) }
  }

  private static func checked(_ snapshot: HeapSnapshot) throws -> HeapSnapshot {
    let counts = snapshot.entries.filter { $0.typeName.hasSuffix("Loaded") }.map(\.count)
    try #require(counts == [1_000_000], "\(counts)")
    return snapshot
  }
}

/// A child process with a million objects.
private final class HeapLoad {
  private let process = Process()

  init(arguments: [String] = []) throws {
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: CommandLine.arguments[0])
      .deletingLastPathComponent().appending(path: "heapload")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
  }

  deinit { process.terminate() }

  func snapshot(findsPaths: Bool = false) throws -> HeapSnapshot {
    try HeapSnapshot.take(ofProcess: process.processIdentifier, findsPaths: findsPaths)
  }
}
