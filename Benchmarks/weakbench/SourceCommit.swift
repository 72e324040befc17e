import Foundation

/// The commit that this program's source is at, if its checkout is still where it was built.
enum SourceCommit {
  /// `g` and the short hash, and `-dirty` if a file that is built differs from it; nil without git.
  static func name(sourceFile: String = #filePath) -> String? {
    let folder = URL(fileURLWithPath: sourceFile).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
    guard let hash = git(["rev-parse", "--short", "HEAD"], in: root), !hash.isEmpty else {
      return nil
    }
    // Only what is built: the results of the last run do not make the next one's source dirty.
    let built = ["Package.swift", "Sources", "Benchmarks"]
    guard let changes = git(["status", "--porcelain", "--"] + built, in: root) else { return nil }
    return "g\(hash)\(changes.isEmpty ? "" : "-dirty")"
  }

  /// What git prints, or nil if it cannot be run or fails.
  private static func git(_ arguments: [String], in folder: URL) -> String? {
    guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    process.currentDirectoryURL = folder
    // A hook's variables would lead git to another repository.
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
