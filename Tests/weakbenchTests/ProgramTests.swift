import Benchmarking
import Foundation
import Measurements
import Testing

@testable import weakbench

/// The program itself, as somebody runs it.
@Suite struct ProgramTests {
  struct Outcome { var status: Int32, output: String, errors: String }

  static let program = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent().appendingPathComponent("weakbench")

  /// In a folder of its own; resumes when it has ended, and blocks no thread until then.
  static func run(_ line: String, in folder: TemporaryFolder) async throws -> Outcome {
    let process = Process()
    process.executableURL = program
    process.arguments = line.split(separator: " ").map(String.init)
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let files = try ["output", "errors"].map { try folder.file($0, containing: "") }
    process.standardOutput = FileHandle(forWritingAtPath: files[0])
    process.standardError = FileHandle(forWritingAtPath: files[1])
    try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return Outcome(
      status: process.terminationStatus, output: try folder.text(of: "output"),
      errors: try folder.text(of: "errors"))
  }

  /// Six configurations, as short as can be.
  private static let smallRun =
    "run --quick --collection dictionary --backend mutex --seconds 0.01 --csv - --allow-unoptimized"

  static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program.path) }

  @Test(
    .enabled(if: isBuilt),
    arguments: [
      "run --threads 0", "mutants --only nothing", "run --backend lockfree",
      "run --csv /none/a.csv", "--what", "run",
    ])
  func `bad input, and a debug build, end with one line, status 64, and no file`(
    _ line: String
  ) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await Self.run(line, in: folder)
    #expect(outcome.status == ExitStatus.usage.rawValue)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.filter(\.isNewline).count == 1, "\(outcome.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(files) == ["output", "errors"])
  }

  @Test(.enabled(if: isBuilt))
  func `rows go to standard output, and everything else to standard error`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await Self.run(
      "\(Self.smallRun) --trials 1",
      in: folder)
    #expect(outcome.status == ExitStatus.fine.rawValue, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 7)
    #expect(lines.dropFirst().allSatisfy { $0.contains(",\(BuildKind.name),") })
    #expect(outcome.errors.contains("not for decisions"))
  }

  @Test(.enabled(if: isBuilt), arguments: [SIGINT, SIGTERM])
  func `an interruption keeps the rows, shows the table and ends with 130`(
    _ signal: Int32
  ) async throws {
    let folder = try TemporaryFolder()
    let process = Process()
    let output = Pipe()
    process.executableURL = Self.program
    process.arguments =
      "\(Self.smallRun) --trials 1000"
      .split(separator: " ").map(String.init)
    process.standardOutput = output
    process.standardError = FileHandle(
      forWritingAtPath: try folder.file("errors", containing: ""))
    let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      exit.yield(process.terminationStatus)
      exit.finish()
    }
    let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
    try process.run()
    // A thread that blocks: a handler of readable data, taken away at the end of the file, can crash
    // Dispatch's event loop.
    let descriptor = output.fileHandleForReading.fileDescriptor
    try output.fileHandleForWriting.close()
    Thread {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
        continuation.yield(Data(buffer[..<count]))
      }
      continuation.finish()
    }.start()
    var text = Data()
    var isInterrupted = false
    for await chunk in chunks {
      text += chunk
      // The header and two rows.
      let lines = text.filter { $0 == UInt8(ascii: "\n") }.count
      guard !isInterrupted, lines >= 3 else { continue }
      isInterrupted = true
      kill(process.processIdentifier, signal)
    }
    withExtendedLifetime(output) {}  // Until here the descriptor is open.
    let statuses = await exits.reduce(into: []) { $0.append($1) }
    #expect(statuses == [ExitStatus.interrupted.rawValue])
    let rows = try MeasurementCSV.measurements(in: String(decoding: text, as: UTF8.self))
    #expect(rows.count >= 2)
    let said = try folder.text(of: "errors")
    #expect(said.contains("BACKEND"))
    #expect(said.contains("interrupted; \(rows.count) of "))
  }

  @Test(
    .enabled(if: isBuilt), arguments: ["--version", "list", "list --format json", "run --help"])
  func `what was asked for goes to standard output`(_ line: String) async throws {
    let outcome = try await Self.run(line, in: TemporaryFolder())
    #expect(outcome.status == 0)
    #expect(!outcome.output.isEmpty)
    #expect(outcome.errors.isEmpty)
  }
}
