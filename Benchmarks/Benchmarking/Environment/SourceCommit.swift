import Foundation

/// The commit that this program's source is at, if its checkout is still where it was built.
package enum SourceCommit {
  /// `g` and the short hash, and `-dirty` if a file that is built differs from it; nil without git.
  package static func name(sourceFile: String = #filePath) -> String? {
    let folder = URL(fileURLWithPath: sourceFile).deletingLastPathComponent()
    let root = folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    guard let hash = git("rev-parse --short HEAD", in: root), !hash.isEmpty else { return nil }
    // Only what is built: the results of the last run do not make the next one's source dirty.
    guard let changes = git("status --porcelain -- Package.swift Sources Benchmarks", in: root)
    else { return nil }
    return "g\(hash)\(changes.isEmpty ? "" : "-dirty")"
  }

  /// What git prints, or nil if it cannot be run or fails.
  ///
  /// Not `Process`: its threads would stay while trials are made.
  private static func git(_ arguments: String, in folder: String) -> String? {
    // A hook's variables would lead git to another repository.
    let git = "env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE git -C \(folder.quotedForShell)"
    guard let pipe = popen("\(git) \(arguments) 2>/dev/null </dev/null", "r") else { return nil }
    var bytes: [UInt8] = []
    while case let byte = getc(pipe), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    guard pclose(pipe) == 0 else { return nil }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
