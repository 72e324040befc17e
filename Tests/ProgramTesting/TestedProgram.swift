import Foundation
import TerminalIO

/// One of the programs of this package, as the tests find it beside themselves.
package struct TestedProgram: Sendable {
  package struct Outcome: Sendable { package var status: Int32, output: String, errors: String }

  package let url: URL

  package static let weakbench = TestedProgram("weakbench")
  package static let weakstress = TestedProgram("weakstress")
  package static let leakwatch = TestedProgram("leakwatch")
  package static let benchlab = TestedProgram("benchlab")

  private init(_ name: String) {
    #if os(macOS)
      // A program of Xcode runs the bundle of tests.
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }!.bundleURL
    #else
      let tests = URL(fileURLWithPath: CommandLine.arguments[0])
    #endif
    url = tests.deletingLastPathComponent().appendingPathComponent(name)
  }

  package var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: url.path) }

  /// Runs it in `folder`; suspends until it has ended, and blocks no thread meanwhile.
  ///
  /// - Parameter fileBlocks: The largest file that it can write, in blocks of `ulimit`: a write
  ///   beyond it fails, as on a full disk.
  package func run(
    _ line: String, in folder: TemporaryFolder, input: String? = nil, fileBlocks: Int? = nil
  ) async throws -> Outcome {
    let process = Process()
    let words = line.split(separator: " ").map(String.init)
    if let fileBlocks {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let limit = "trap '' XFSZ; ulimit -f \(fileBlocks); exec \"$0\" \"$@\""
      process.arguments = ["-c", limit, url.path] + words
    } else {
      process.executableURL = url
      process.arguments = words
    }
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let files = try ["output", "errors"].map { try folder.file($0, containing: "") }
    process.standardOutput = FileHandle(forWritingAtPath: files[0])
    process.standardError = FileHandle(forWritingAtPath: files[1])
    if let input {
      let pipe = Pipe()
      process.standardInput = pipe
      // Less than a pipe holds, so that this does not wait for the program.
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
    }
    try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return Outcome(
      status: process.terminationStatus, output: try folder.text(of: "output"),
      errors: try folder.text(of: "errors"))
  }
}

/// The error that `body` throws.
package func commandError(_ body: () throws -> Void) throws -> CommandError {
  struct NothingThrown: Error {}
  do { try body() } catch let error as CommandError { return error }
  throw NothingThrown()
}
