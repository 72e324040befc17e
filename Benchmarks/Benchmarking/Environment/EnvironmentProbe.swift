import Foundation
import struct Measurements.Measurement
import Primitives

/// Finds out where, with what and from which source this program runs.
package enum EnvironmentProbe {
  /// `machine` is the name that somebody gave, instead of the label made of what the machine is.
  package static func environment(machine: String?) -> Measurement.Environment {
    let facts = MachineFacts.current
    return Measurement.Environment(
      machine: machine ?? MachineLabel.text(for: facts, cores: Host.usableCores), cpu: facts.cpu,
      cores: Host.usableCores, hostCores: Host.hostCores, os: facts.os, kernel: facts.kernel,
      swift: CompilerVersion.name, mutexFlavor: Host.mutexFlavor, allocator: AllocatorProbe.name,
      buildConfiguration: BuildKind.name, commit: SourceCommit.name())
  }
}

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

/// The compiler that built this program, as in the CSV: `swift-6.3.1`.
///
/// The library's own version would be easier to ask for, but names no patch release.
package enum CompilerVersion {
  package static var name: String {
    #if compiler(>=7.0)
      "swift-7-or-later"
    #elseif compiler(>=6.6)
      "swift-6.6-or-later"
    #elseif compiler(>=6.5)
      "swift-6.5"
    #elseif compiler(>=6.4.3)
      "swift-6.4.3-or-later"
    #elseif compiler(>=6.4.2)
      "swift-6.4.2"
    #elseif compiler(>=6.4.1)
      "swift-6.4.1"
    #elseif compiler(>=6.4)
      "swift-6.4"
    #elseif compiler(>=6.3.4)
      "swift-6.3.4-or-later"
    #elseif compiler(>=6.3.3)
      "swift-6.3.3"
    #elseif compiler(>=6.3.2)
      "swift-6.3.2"
    #elseif compiler(>=6.3.1)
      "swift-6.3.1"
    #else
      "swift-6.3"
    #endif
  }
}

/// How this process was built, as far as it bears on what it measures.
public enum BuildKind {
  /// `release` or `debug`, with the sanitizer and the traits that cost time.
  public static var name: String {
    ([isDebug ? "debug" : "release"] + burdens).joined(separator: "+")
  }

  /// Whether times taken here mean anything.
  public static var isFitForMeasuring: Bool { !isDebug && burdens.isEmpty }

  private static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  private static var burdens: [String] {
    var burdens = Sanitizer.names
    #if InternalChecks
      burdens.append("InternalChecks")
    #endif
    #if Interleaving
      burdens.append("Interleaving")
    #endif
    return burdens
  }
}

extension String {
  /// As it is where a shell would leave it alone, otherwise in quotation marks.
  package var quotedForShell: String {
    let isPlain = allSatisfy { character in
      character.isASCIIAlphanumeric || "-_=.,/:+@%".contains(character)
    }
    guard !isPlain || isEmpty else { return self }
    let parts = split(separator: "'", omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: #"'\''"#))'"
  }
}
